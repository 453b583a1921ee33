import { hkdfSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { opaqueCursors } from '../kit/crypto/opaque-cursor.ts'
import { sealedBox } from '../kit/crypto/sealed-box.ts'
import { Secret } from '../kit/crypto/secret.ts'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, databaseAnswers, openPool } from '../kit/database/pool.ts'
import { clientAddress } from '../kit/http/client-address.ts'
import { withRequestClasses } from '../kit/http/express-prototypes.ts'
import { servePages } from '../kit/http/pages.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { createLog } from '../kit/process/log.ts'
import { createMetrics } from '../kit/process/metrics.ts'
import { closeAll } from '../kit/process/program.ts'
import { type LoopReports, repeat } from '../kit/process/repeat.ts'
import { rateLimit } from '../kit/rates/rate-limit.ts'
import { shareRates } from '../kit/rates/shared-rates.ts'
import { controlPlaneOperations, createApp } from './app.ts'
import { assembleBilling, openBillingAdapters } from './billing/compose.ts'
import type { Config } from './config.ts'
import { postgresEgressAddresses } from './control-plane/adapters/egress-addresses.ts'
import { noticed, resourceChanges } from './control-plane/adapters/resource-changes.ts'
import { postgresResources } from './control-plane/adapters/resources.ts'
import { postgresWorkspaces } from './control-plane/adapters/workspaces.ts'
import { assignMembers, lateMembers, pickingAgain } from './control-plane/flows/assign-members.ts'
import { createResource } from './control-plane/flows/create-resource.ts'
import { deleteResource } from './control-plane/flows/delete-resource.ts'
import { findBlockers } from './control-plane/flows/find-blockers.ts'
import { findResource } from './control-plane/flows/find-resource.ts'
import { findWarnings } from './control-plane/flows/find-warnings.ts'
import { listResources } from './control-plane/flows/list-resources.ts'
import { manageWorkspaces } from './control-plane/flows/manage-workspaces.ts'
import { refusals } from './control-plane/flows/refusals.ts'
import { type Settle, settleDeployment } from './control-plane/flows/settle-deployment.ts'
import { creatingMissing, updateResource } from './control-plane/flows/update-resource.ts'
import { withAttachments } from './control-plane/flows/with-attachments.ts'
import type { Offers } from './control-plane/http/offer-operations.ts'
import { assembleGateway, openGatewayAdapters } from './gateway/compose.ts'
import { echoImage } from './gateway/domain/runtime.ts'
import { postgresAccountMembers } from './identity/adapters/account-members.ts'
import { postgresAccounts } from './identity/adapters/accounts.ts'
import { postgresApiKeys } from './identity/adapters/api-keys.ts'
import { browserSessions } from './identity/adapters/browser-sessions.ts'
import { currentServer } from './identity/adapters/current-server.ts'
import { postgresMembers } from './identity/adapters/members.ts'
import { postgresMemberships } from './identity/adapters/memberships.ts'
import { postgresOAuthClients } from './identity/adapters/oauth-clients.ts'
import { oauthServer } from './identity/adapters/oauth-server.ts'
import { postgresOidcRecords } from './identity/adapters/oidc-records.ts'
import { postgresServiceAccounts } from './identity/adapters/service-accounts.ts'
import { postgresSigningKeys } from './identity/adapters/signing-keys.ts'
import { postgresUsers } from './identity/adapters/users.ts'
import type { SigningKey } from './identity/domain/signing-key.ts'
import { enterWorkspace, openWorkspaces } from './identity/flows/enter-workspace.ts'
import { findAccounts } from './identity/flows/find-accounts.ts'
import { identifyCaller } from './identity/flows/identify-caller.ts'
import { manageAccountMembers } from './identity/flows/manage-account-members.ts'
import { manageApiKeys } from './identity/flows/manage-api-keys.ts'
import { manageMembers } from './identity/flows/manage-members.ts'
import { manageServiceAccounts } from './identity/flows/manage-service-accounts.ts'
import { readAudit } from './identity/flows/read-audit.ts'
import { signIn } from './identity/flows/sign-in.ts'
import { verifyAccessToken } from './identity/flows/verify-access-token.ts'
import { devicePages } from './identity/http/device-pages.ts'
import { assembleJobs, openJobAdapters } from './jobs/compose.ts'
import { parseSchedule } from './jobs/domain/cron.ts'
import { authenticate } from './shared/http/authenticate.ts'
import type { Operation } from './shared/http/operation.ts'
import { bodyDeadlines, unreadableRefusal } from './shared/http/unreadable.ts'
import { postgresAuditTrail } from './shared/postgres/audit.ts'
import { postgresIdempotency } from './shared/postgres/idempotent-requests.ts'
import { migrations } from './shared/postgres/migrations.ts'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

const cursorLifeSeconds = 24 * 60 * 60

/** Opens the real world: the database is there and migrated when this returns. */
export async function openAdapters(config: Config) {
  const log = createLog('platform', config.logLevel)
  const processMetrics = createMetrics('platform')
  const loops: LoopReports = { log, metrics: processMetrics }
  const pool = openPool(config.databaseUrl)
  await awaitDatabase(pool, 10_000)
  await migrate(pool, migrations)
  const vault = sealedBox(config.encryptionKeys)
  const gateway = await openGatewayAdapters(config, pool, vault, { log, loops })
  const changes = resourceChanges()
  return {
    log,
    processMetrics,
    loops,
    now: () => new Date(),
    pause: (ms: number): Promise<void> => pause(ms),
    vault,
    cursors: opaqueCursors(config.encryptionKeys, cursorLifeSeconds),
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
    workspaces: postgresWorkspaces(pool),
    idempotency: postgresIdempotency(pool, vault),
    auditTrail: postgresAuditTrail(pool),
    resources: noticed(postgresResources(pool), changes.tell),
    changes,
    addresses: postgresEgressAddresses(pool, config.egressRanges),
    ...gateway,
    ...openJobAdapters(pool, vault),
    ...(await openBillingAdapters(config, pool)),
    databaseAnswers: () => databaseAnswers(pool),
    close: closeAll(gateway.closeGateway, () => pool.end()),
  }
}

export type Assembled = {
  app: RequestListener
  unreadable: DeadlineOptions
  operations: Operation[]
  settle: Settle
  close(): Promise<void>
}

/** Runtimes that need no registration. */
const builtInImages = [echoImage]

export function assemble(config: Config, adapters: Adapters): Assembled {
  const { log, loops, now } = adapters
  const current = identityServer(config, adapters)
  const limits = requestLimits(config, adapters)
  const enter = enterWorkspace(adapters)
  const { settle, ...resourceFlows } = controlPlane(config, adapters)
  const accounts = findAccounts(adapters)
  const workspaces = manageWorkspaces({
    ...adapters,
    enter,
    openTo: openWorkspaces(adapters),
    accountFor: accounts.forCreation,
    accountsOf: async (caller) => (await accounts.list(caller)).map(({ id }) => id),
  })
  const guards = {
    headers: config.headers,
    identify: authenticate({
      headers: config.headers,
      identifyCaller: identifyCaller({
        ...adapters,
        verifyAccessToken: verifyAccessToken({ ...adapters, accessTokens: current }),
      }),
      addressOf: clientAddress(config.trustProxy),
      limits,
    }),
    enter,
    idempotency: adapters.idempotency,
  }
  const jobs = assembleJobs(config, adapters, guards)
  const managed = controlPlaneOperations(config, offersOf(config), {
    now,
    ...resourceFlows,
    workspaces,
    accounts,
    serviceAccounts: manageServiceAccounts(adapters),
    keys: manageApiKeys(adapters),
    members: manageMembers({ ...adapters, enter }),
    accountMembers: manageAccountMembers({ ...adapters, accounts }),
    readAudit: readAudit(adapters),
  })
  const billing = assembleBilling(adapters, accounts)
  const operations = [...managed, ...jobs.operations, ...billing.operations]
  const gateway = assembleGateway(config, adapters, guards)
  const app = createApp({
    config,
    log,
    now,
    gatewayAnswers: gateway.answers,
    ready: { database: adapters.databaseAnswers },
    guards,
    gateway: [gateway.routes, jobs.routes],
    identity: {
      server: oauthServer(current, config.addresses.auth),
      clients: adapters.clients,
      signIn: signIn({ ...adapters, attempts: limits.guesses }),
      limits,
      publicUrl: config.addresses.auth,
      sessions: browserSessions({ ...adapters, current, publicUrl: config.addresses.auth }),
    },
    costs: billing.costs,
    operations,
  })
  const sweeps = [
    repeat('settle-deployments', 5_000, settle.stranded, loops),
    repeat('finish-workspaces', 5_000, workspaces.finishStranded, loops),
    repeat('forget-oidc-records', 600_000, adapters.records.removeExpired, loops),
    repeat('forget-idempotent-requests', 600_000, adapters.idempotency.sweep, loops),
  ]
  const close = async () => {
    await Promise.all([...sweeps.map((sweep) => sweep.stop()), limits.close()])
    await billing.close()
    await jobs.close()
    await gateway.close()
  }
  const unreadable = { refusal: unreadableRefusal(config.headers, now), ...bodyDeadlines(config.gateway) }
  // What is in front of the framework tells the server which objects the framework wants.
  const door = Object.assign(gateway.door(withRequestClasses(app)), { request: app.request, response: app.response })
  return { app: door, unreadable, operations, settle, close }
}

const offersOf = ({ integrations, runtimes }: Config): Offers => ({
  images: [...builtInImages, ...runtimes.keys()],
  integrations: [...integrations.values()].map(({ name, displayName, apiHosts, tools }) => ({
    name,
    displayName,
    apiHosts,
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
  })),
})

function identityServer(config: Config, adapters: Adapters) {
  const views = express()
  servePages(views)
  const needs = {
    ...adapters,
    issuer: config.addresses.auth,
    cookieKeys: new Secret([...config.encryptionKeys.keys.values()].map((key) => derivedKey(key, 'cookies'))),
    pages: devicePages(views),
  }
  // Large to load, and API keys need none of it: the first request to the authorization server loads it.
  const createServer = async (keys: readonly SigningKey[]) => {
    const { authorizationServer } = await import('./identity/adapters/authorization-server.ts')
    return authorizationServer(needs, keys)
  }
  return currentServer({ ...needs, createServer })
}

const derivedKey = (key: Secret<Buffer>, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key.reveal(), '', purpose, 32)).toString('base64url')

/** Where there is a Redis, all processes count together. */
function requestLimits({ rates }: Config, { redis, now, loops }: Pick<Adapters, 'redis' | 'now' | 'loops'>) {
  const rules = {
    requests: { count: rates.keyPerMinute, perSeconds: 60 },
    failures: { count: rates.failedPerMinute, perSeconds: 60 },
    /** Passwords, by where they come from and by whose they would be. */
    signIns: { count: rates.failedPerMinute, perSeconds: 900 },
    guesses: { count: 10, perSeconds: 900 },
  }
  const limitOf = (rule: { count: number; perSeconds: number }) => rateLimit({ ...rule, now })
  const limits = {
    requests: limitOf(rules.requests),
    failures: limitOf(rules.failures),
    signIns: limitOf(rules.signIns),
    guesses: limitOf(rules.guesses),
  }
  const names = Object.keys(limits) as Array<keyof typeof limits>
  const counted = names.map((name) => ({ name, ...rules[name], limit: limits[name] }))
  const shared = redis && shareRates(redis, counted, loops)
  return { ...limits, close: async () => shared?.close() }
}

function controlPlane(config: Config, adapters: Adapters) {
  const { resources } = adapters
  const integrations = new Set(config.integrations.keys())
  const blockers = findBlockers({
    resources,
    integrations,
    isSchedule: (text) => parseSchedule(text) !== undefined,
    images: new Map([
      ...builtInImages.map((image) => [image, 'both'] as const),
      ...[...config.runtimes].map(([image, found]) => [image, 'url' in found ? 'address' : 'command'] as const),
    ]),
  })
  const settle = settleDeployment({
    ...adapters,
    blockers,
    lateMembers: lateMembers(adapters),
    warnings: findWarnings(adapters),
  })
  const refuse = refusals(adapters)
  const attached = withAttachments(adapters)
  const create = pickingAgain((attempt) =>
    createResource({ ...adapters, assign: assignMembers({ ...adapters, attempt }), refuse, blockers, settle }),
  )
  const update = updateResource({ ...adapters, refuse, settle })
  return {
    settle,
    createResource: create,
    findResource: findResource({ ...adapters, withAttachments: attached }),
    listResources: listResources({ ...adapters, refuse, withAttachments: attached }),
    updateResource: creatingMissing(update, create),
    deleteResource: deleteResource({ ...adapters, refuse }),
  }
}
