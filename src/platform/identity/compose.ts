import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import express, { type Request, type Response } from 'express'
import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import { Secret } from '../../kit/crypto/secret.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import { clientAddress } from '../../kit/http/client-address.ts'
import { servePages } from '../../kit/http/pages.ts'
import { describeError } from '../../kit/process/log.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { IdempotencyStore } from '../../kit/process/run-idempotent.ts'
import { rateLimit } from '../../kit/rates/rate-limit.ts'
import { shareRates } from '../../kit/rates/shared-rates.ts'
import type { Config } from '../config.ts'
import type { AuditTrail } from '../shared/domain/audit.ts'
import type { Caller } from '../shared/domain/caller.ts'
import type { SharedPorts } from '../shared/domain/ports.ts'
import { authenticate, countMore, countPreview, hasGoodCredential, identifyAgain } from '../shared/http/authenticate.ts'
import { postgresAccountMembers } from './adapters/account-members.ts'
import { postgresAccounts, postgresMemberships } from './adapters/accounts.ts'
import { postgresApiKeys } from './adapters/api-keys.ts'
import { browserSessions } from './adapters/browser-sessions.ts'
import { clientKeys, fetchClientKeys } from './adapters/client-keys.ts'
import { metadataDocuments } from './adapters/client-metadata.ts'
import { currentServer } from './adapters/current-server.ts'
import { postgresFunctionGrants } from './adapters/function-grants.ts'
import { postgresFunctionUsers } from './adapters/function-users.ts'
import { identityAssertions } from './adapters/identity-assertions.ts'
import { postgresMembers } from './adapters/members.ts'
import { postgresOAuthClients } from './adapters/oauth-clients.ts'
import { oauthServer } from './adapters/oauth-server.ts'
import { postgresOidcRecords } from './adapters/oidc-records.ts'
import { postgresRememberedBrowsers } from './adapters/remembered-browsers.ts'
import { postgresServiceAccounts } from './adapters/service-accounts.ts'
import { postgresSigningKeys } from './adapters/signing-keys.ts'
import { postgresUsers } from './adapters/users.ts'
import { apiKeyPrefix } from './domain/api-key.ts'
import type { FindFunction } from './domain/function-access.ts'
import type { AcceptAssertion } from './domain/ports.ts'
import type { SigningKey } from './domain/signing-key.ts'
import { acceptIdentityAssertion } from './flows/accept-identity-assertion.ts'
import { enterWorkspace, openWorkspaces } from './flows/enter-workspace.ts'
import { functionsOf } from './flows/function-access.ts'
import { identifyCaller } from './flows/identify-caller.ts'
import { accountForCreation, findAccount, listAccounts } from './flows/manage-accounts.ts'
import { noteExposedKey } from './flows/manage-api-keys.ts'
import { accountMemberOperations } from './http/account-member-operations.ts'
import { auditOperations } from './http/audit-operations.ts'
import { devicePages } from './http/device-pages.ts'
import { functionAccessOperations } from './http/function-access-operations.ts'
import { functionLoginPages } from './http/function-login-pages.ts'
import { identityOperations } from './http/identity-operations.ts'
import { interactionPages, sessionPages } from './http/interaction-pages.ts'
import { keyPages } from './http/key-pages.ts'
import { memberOperations } from './http/member-operations.ts'
import { crossOrigin, oauthRoutes } from './http/oauth-routes.ts'
import { peopleIn, recognize } from './http/recognized-person.ts'
import { registrationRoutes } from './http/registration-routes.ts'

export const openIdentityAdapters = (config: Config, pool: pg.Pool, vault: SealedBox) => ({
  documents: metadataDocuments({ allow: config.clientDocumentEgressAllow }),
  clientKeys: clientKeys(fetchClientKeys({ allow: config.clientDocumentEgressAllow }), () => new Date()),
  issuerKeys: clientKeys(fetchClientKeys({ allow: config.clientDocumentEgressAllow }), () => new Date()),
  apiKeys: postgresApiKeys(pool),
  users: postgresUsers(pool),
  clients: postgresOAuthClients(pool),
  records: postgresOidcRecords(pool, vault, { graceSeconds: config.refreshGraceSeconds }),
  signingKeys: postgresSigningKeys(pool, vault),
  memberships: postgresMemberships(pool),
  members: postgresMembers(pool),
  accounts: postgresAccounts(pool),
  accountMembers: postgresAccountMembers(pool),
  serviceAccounts: postgresServiceAccounts(pool),
  functionUsers: postgresFunctionUsers(pool),
  functionGrants: postgresFunctionGrants(pool),
  rememberedBrowsers: postgresRememberedBrowsers(pool),
})

type Adapters = ReturnType<typeof openIdentityAdapters> &
  SharedPorts & {
    auditTrail: AuditTrail
    idempotency: IdempotencyStore<string>
    redis: RedisClient | undefined
    loops: LoopReports
  }

export function assembleIdentity(config: Config, adapters: Adapters, findFunction: FindFunction) {
  const limits = requestLimits(config, adapters)
  const enter = enterWorkspace(adapters)
  const assertions = identityAssertions(adapters)
  const ports = { ...adapters, assertions, enter, findFunction, limits, pause: setTimeout }
  const { auth: publicUrl, inference: gatewayUrl } = config.addresses
  const { trustedIssuers } = config
  const current = identityServer(config, adapters, (request) =>
    acceptIdentityAssertion(ports, { trustedIssuers, publicUrl, gatewayUrl }, request),
  )
  const addressOf = clientAddress(config.trustProxy)
  const noteExposed = noteExposedKey(adapters)
  const { log } = adapters
  const identifying = {
    headers: config.headers,
    identifyCaller: identifyCaller({ ...adapters, accessTokens: current, gatewayUrl }),
  }
  const removing = repeat('forget-oidc-records', 600_000, () => removeEnded(adapters), adapters.loops)
  const server = oauthServer(current, publicUrl, gatewayUrl)
  const sessions = browserSessions({ ...adapters, current, publicUrl })
  return {
    enter,
    openTo: (caller: Caller) => openWorkspaces(ports, caller),
    findAccount: (caller: Caller, id: string) => findAccount(ports, caller, id),
    listAccounts: (caller: Caller) => listAccounts(ports, caller),
    accountFor: (caller: Caller, wanted: string | undefined) => accountForCreation(ports, caller, wanted),
    identify: authenticate({ ...identifying, addressOf, limits }),
    identifyAgain: identifyAgain(identifying),
    countMore: countMore({ limits }),
    countPreview: countPreview({ addressOf, limits }),
    hasGoodCredential: hasGoodCredential(identifying),
    /** Keys in a URL, which logs and browser histories keep. */
    exposedKeys: {
      prefix: apiKeyPrefix,
      exposed: (key: Secret, req: IncomingMessage) => {
        noteExposed(key, addressOf(req)).then(
          (credential) => credential && log('api_key.exposed', { key: credential }),
          (error) => log('api_key.exposure_unrecorded', { code: describeError(error) }),
        )
      },
    },
    sessions,
    recognize: (callerId: string, req: Request, res: Response) =>
      recognize({ ...adapters, sessions }, publicUrl, callerId, req, res),
    functionsOf: (workspace: string, endUserId: string) => functionsOf(ports, workspace, endUserId),
    peopleIn: (callerId: string, req: Request, res: Response) => {
      const openTo = (caller: Caller) => openWorkspaces(ports, caller)
      return peopleIn({ ...adapters, sessions, openTo }, publicUrl, callerId, req, res)
    },
    endUserIdOf: async (callerId: string) => (await adapters.functionUsers.find(callerId))?.endUserId,
    operations: [
      ...memberOperations(ports),
      ...identityOperations(ports),
      ...accountMemberOperations(ports),
      ...auditOperations(ports),
      ...functionAccessOperations(ports, { publicUrl, gatewayUrl }),
    ],
    pages: [
      interactionPages(ports, server, publicUrl),
      functionLoginPages(ports, publicUrl, gatewayUrl),
      sessionPages(ports, sessions, publicUrl),
      keyPages(ports, sessions, publicUrl),
    ],
    oauth: [
      crossOrigin,
      registrationRoutes(ports, limits),
      oauthRoutes({ server, clients: adapters.clients, limits, gatewayUrl }),
    ],
    async close() {
      await Promise.all([limits.close(), removing.stop()])
      await Promise.all([adapters.documents.close(), adapters.clientKeys.close(), adapters.issuerKeys.close()])
    },
  }
}

async function removeEnded(adapters: Adapters): Promise<void> {
  const { records, clients, functionUsers, functionGrants, rememberedBrowsers } = adapters
  await records.removeExpired()
  await Promise.all([
    clients.removeUnused(),
    functionUsers.removeExpired(),
    functionGrants.removeEnded(),
    rememberedBrowsers.removeExpired(),
  ])
}

function identityServer(config: Config, adapters: Adapters, acceptAssertion: AcceptAssertion) {
  const views = express()
  servePages(views)
  const needs = {
    ...adapters,
    acceptAssertion,
    issuer: config.addresses.auth,
    gatewayUrl: config.addresses.inference,
    cookieKeys: new Secret([...config.encryptionKeys.keys.values()].map((key) => derivedKey(key, 'cookies'))),
    pages: devicePages(views),
  }
  // Loaded on first use, because it is large and API keys don't need it.
  const createServer = async (keys: readonly SigningKey[]) => {
    const { authorizationServer } = await import('./adapters/authorization-server.ts')
    return authorizationServer(needs, keys)
  }
  return currentServer({ ...needs, createServer })
}

const derivedKey = (key: Secret<Buffer>, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key.reveal(), '', purpose, 32)).toString('base64url')

function requestLimits({ rates }: Config, { redis, now, loops }: Pick<Adapters, 'redis' | 'now' | 'loops'>) {
  const rules = {
    requests: { count: rates.keyPerMinute, perSeconds: 60 },
    failures: { count: rates.failedPerMinute, perSeconds: 60 },
    /** Passwords: per client, wrong ones per client and account, and wrong ones per account. */
    signIns: { count: rates.failedPerMinute, perSeconds: 900 },
    guesses: { count: 10, perSeconds: 900 },
    accountGuesses: { count: 100, perSeconds: 900 },
    previews: { count: rates.previewPerMinute, perSeconds: 60 },
    registrations: { count: rates.registrationsPerHour, perSeconds: 3_600 },
    networkRegistrations: { count: rates.registrationsPerHour * 10, perSeconds: 3_600 },
  }
  type Name = keyof typeof rules
  const entries = Object.entries(rules).map(([name, rule]) => [name, rateLimit({ ...rule, now })])
  const limits = Object.fromEntries(entries) as Record<Name, ReturnType<typeof rateLimit>>
  const counted = (Object.keys(rules) as Name[]).map((name) => ({ name, ...rules[name], limit: limits[name] }))
  const shared = redis && shareRates(redis, counted, loops)
  return { ...limits, close: async () => shared?.close() }
}
