// The part of the wiring list that says who is asking: credentials, accounts, members, the authorization server.
import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import type pg from 'pg'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import { Secret } from '../../kit/crypto/secret.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import { clientAddress } from '../../kit/http/client-address.ts'
import { servePages } from '../../kit/http/pages.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import { rateLimit } from '../../kit/rates/rate-limit.ts'
import { shareRates } from '../../kit/rates/shared-rates.ts'
import type { Config } from '../config.ts'
import type { AuditTrail } from '../shared/domain/audit.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { authenticate, countMore, hasGoodCredential, identifyAgain } from '../shared/http/authenticate.ts'
import { postgresAccountMembers } from './adapters/account-members.ts'
import { postgresAccounts } from './adapters/accounts.ts'
import { postgresApiKeys } from './adapters/api-keys.ts'
import { browserSessions } from './adapters/browser-sessions.ts'
import { currentServer } from './adapters/current-server.ts'
import { postgresFunctionGrants } from './adapters/function-grants.ts'
import { postgresFunctionUsers } from './adapters/function-users.ts'
import { postgresMembers } from './adapters/members.ts'
import { postgresMemberships } from './adapters/memberships.ts'
import { metadataDocuments } from './adapters/metadata-documents.ts'
import { postgresOAuthClients } from './adapters/oauth-clients.ts'
import { oauthServer } from './adapters/oauth-server.ts'
import { postgresOidcRecords } from './adapters/oidc-records.ts'
import { postgresServiceAccounts } from './adapters/service-accounts.ts'
import { postgresSigningKeys } from './adapters/signing-keys.ts'
import { postgresUsers } from './adapters/users.ts'
import { apiKeyPrefix } from './domain/api-key.ts'
import type { FindFunction } from './domain/function-access.ts'
import type { SigningKey } from './domain/signing-key.ts'
import { enterWorkspace, openWorkspaces } from './flows/enter-workspace.ts'
import { findAccounts } from './flows/find-accounts.ts'
import { functionAccess } from './flows/function-access.ts'
import { identifyCaller } from './flows/identify-caller.ts'
import { manageAccountMembers } from './flows/manage-account-members.ts'
import { manageApiKeys } from './flows/manage-api-keys.ts'
import { manageMembers } from './flows/manage-members.ts'
import { manageServiceAccounts } from './flows/manage-service-accounts.ts'
import { noteExposedKey } from './flows/note-exposed-key.ts'
import { readAudit } from './flows/read-audit.ts'
import { registerClient } from './flows/register-client.ts'
import { signIn } from './flows/sign-in.ts'
import { verifyAccessToken } from './flows/verify-access-token.ts'
import { accountMemberOperations } from './http/account-member-operations.ts'
import { auditOperations } from './http/audit-operations.ts'
import { devicePages } from './http/device-pages.ts'
import { functionAccessOperations } from './http/function-access-operations.ts'
import { identityOperations } from './http/identity-operations.ts'
import { memberOperations } from './http/member-operations.ts'

export const openIdentityAdapters = (config: Config, pool: pg.Pool, vault: SealedBox) => ({
  documents: metadataDocuments({ allow: config.clientDocumentEgressAllow }),
  apiKeys: postgresApiKeys(pool),
  users: postgresUsers(pool),
  clients: postgresOAuthClients(pool),
  records: postgresOidcRecords(pool, vault),
  signingKeys: postgresSigningKeys(pool, vault),
  memberships: postgresMemberships(pool),
  members: postgresMembers(pool),
  accounts: postgresAccounts(pool),
  accountMembers: postgresAccountMembers(pool),
  serviceAccounts: postgresServiceAccounts(pool),
  functionUsers: postgresFunctionUsers(pool),
  functionGrants: postgresFunctionGrants(pool),
})

type Needs = ReturnType<typeof openIdentityAdapters> & {
  auditTrail: AuditTrail
  cursors: OpaqueCursors
  /** Adds up the request counts of all processes. Without it, each counts for itself. */
  redis: RedisClient | undefined
  log: Log<PlatformEvent>
  loops: LoopReports
  now: () => Date
}

export function assembleIdentity(config: Config, adapters: Needs, findFunction: FindFunction) {
  const server = identityServer(config, adapters)
  const limits = requestLimits(config, adapters)
  const enter = enterWorkspace(adapters)
  const accounts = findAccounts(adapters)
  const { auth: publicUrl, inference: gatewayUrl } = config.addresses
  const verify = verifyAccessToken({ ...adapters, accessTokens: server, gatewayUrl })
  const access = functionAccess({ ...adapters, findFunction })
  const addressOf = clientAddress(config.trustProxy)
  const noteExposed = noteExposedKey(adapters)
  const { log } = adapters
  const identifying = {
    headers: config.headers,
    identifyCaller: identifyCaller({ ...adapters, verifyAccessToken: verify }),
  }
  const removing = repeat('forget-oidc-records', 600_000, () => removeEnded(adapters), adapters.loops)
  return {
    accounts,
    enter,
    openTo: openWorkspaces(adapters),
    identify: authenticate({ ...identifying, addressOf, limits }),
    identifyAgain: identifyAgain(identifying),
    countMore: countMore({ limits }),
    hasGoodCredential: hasGoodCredential(identifying),
    /** For keys that come in an address, where logs and histories keep them. */
    exposedKeys: {
      prefix: apiKeyPrefix,
      exposed: (key: Secret, req: IncomingMessage) => {
        noteExposed(key, addressOf(req)).then(
          (credential) => credential && log('api_key.exposed', { key: credential }),
          (error) => log('api_key.exposure_unrecorded', { code: describeError(error) }),
        )
      },
    },
    operations: [
      ...memberOperations(manageMembers({ ...adapters, enter })),
      ...identityOperations({
        accounts,
        serviceAccounts: manageServiceAccounts(adapters),
        keys: manageApiKeys(adapters),
      }),
      ...accountMemberOperations(manageAccountMembers({ ...adapters, accounts })),
      ...auditOperations(readAudit(adapters)),
      ...functionAccessOperations(access, { publicUrl, gatewayUrl }),
    ],
    pages: {
      server: oauthServer(server, publicUrl, gatewayUrl),
      clients: adapters.clients,
      signIn: signIn({ ...adapters, limits, pause: setTimeout }),
      limits,
      publicUrl,
      gatewayUrl,
      functionAccess: access,
      registerClient: registerClient(adapters),
      sessions: browserSessions({ ...adapters, current: server, publicUrl }),
    },
    async close() {
      await Promise.all([limits.close(), removing.stop()])
      await adapters.documents.close()
    },
  }
}

/** What nobody can use any more. */
async function removeEnded({ records, clients, functionUsers, functionGrants }: Needs): Promise<void> {
  await records.removeExpired()
  await Promise.all([clients.removeUnused(), functionUsers.removeExpired(), functionGrants.removeEnded()])
}

function identityServer(config: Config, adapters: Needs) {
  const views = express()
  servePages(views)
  const needs = {
    ...adapters,
    issuer: config.addresses.auth,
    gatewayUrl: config.addresses.inference,
    cookieKeys: new Secret([...config.encryptionKeys.keys.values()].map((key) => derivedKey(key, 'cookies'))),
    pages: devicePages(views),
  }
  // Large to load, and API keys need none of it: the first request to the authorization server loads it.
  const createServer = async (keys: readonly SigningKey[]) => {
    const { authorizationServer } = await import('./adapters/authorization-server.ts')
    return authorizationServer(needs, keys)
  }
  return currentServer({ ...needs, createServer })
}

const derivedKey = (key: Secret<Buffer>, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key.reveal(), '', purpose, 32)).toString('base64url')

/** Where there is a Redis, all processes count together. */
function requestLimits({ rates }: Config, { redis, now, loops }: Pick<Needs, 'redis' | 'now' | 'loops'>) {
  const rules = {
    requests: { count: rates.keyPerMinute, perSeconds: 60 },
    failures: { count: rates.failedPerMinute, perSeconds: 60 },
    /** Passwords: all of a visitor, wrong ones of a visitor for one account, and wrong ones for one account. */
    signIns: { count: rates.failedPerMinute, perSeconds: 900 },
    guesses: { count: 10, perSeconds: 900 },
    accountGuesses: { count: 100, perSeconds: 900 },
    /** Apps that register themselves, of one visitor. */
    registrations: { count: rates.registrationsPerHour, perSeconds: 3_600 },
  }
  const limitOf = (rule: { count: number; perSeconds: number }) => rateLimit({ ...rule, now })
  const limits = {
    requests: limitOf(rules.requests),
    failures: limitOf(rules.failures),
    signIns: limitOf(rules.signIns),
    guesses: limitOf(rules.guesses),
    accountGuesses: limitOf(rules.accountGuesses),
    registrations: limitOf(rules.registrations),
  }
  const names = Object.keys(limits) as Array<keyof typeof limits>
  const counted = names.map((name) => ({ name, ...rules[name], limit: limits[name] }))
  const shared = redis && shareRates(redis, counted, loops)
  return { ...limits, close: async () => shared?.close() }
}
