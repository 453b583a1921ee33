// Joins the areas: each makes what belongs to it in a compose.ts of its own, and none imports another.

import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { opaqueCursors } from '../kit/crypto/opaque-cursor.ts'
import { sealedBox } from '../kit/crypto/sealed-box.ts'
import { assertKeysLoaded } from '../kit/database/encryption-keys.ts'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, databaseAnswers, openPool } from '../kit/database/pool.ts'
import { openRedis, answers as redisAnswers } from '../kit/database/redis.ts'
import { awaitRedis } from '../kit/database/redis-checks.ts'
import { sealingName } from '../kit/database/sealing-processes.ts'
import { poolMetrics, probeMetrics } from '../kit/database/store-metrics.ts'
import { withRequestClasses } from '../kit/http/express-prototypes.ts'
import { ownHosts } from '../kit/http/own-hosts.ts'
import { requestDurations } from '../kit/http/request-metrics.ts'
import { requestDefects } from '../kit/http/request-rules.ts'
import type { JoinsTrace } from '../kit/http/traced-listener.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { createLog } from '../kit/process/log.ts'
import { createMetrics } from '../kit/process/metrics.ts'
import { closeAll } from '../kit/process/program.ts'
import { type LoopReports, repeat } from '../kit/process/repeat.ts'
import { nestedSpans } from '../kit/tracing/nested-spans.ts'
import { openTracing } from '../kit/tracing/open-tracing.ts'
import { createApp } from './app.ts'
import { assembleBilling, openBillingAdapters } from './billing/compose.ts'
import type { Config } from './config.ts'
import { assembleControlPlane, openControlPlaneAdapters } from './control-plane/compose.ts'
import type { Settle } from './control-plane/flows/settle-deployment.ts'
import { assembleGateway, openGatewayAdapters } from './gateway/compose.ts'
import { missingSecrets } from './gateway/domain/model-api.ts'
import { echoImage, isEchoImage } from './gateway/domain/runtime.ts'
import { assembleIdentity, openIdentityAdapters } from './identity/compose.ts'
import { assembleJobs, openJobAdapters } from './jobs/compose.ts'
import { lazyConfinement } from './shared/adapters/confinement/confinement.ts'
import { enterDelegatedGroup } from './shared/adapters/confinement/control-group.ts'
import { vaultOf } from './shared/adapters/vault.ts'
import { parseSchedule } from './shared/domain/cron.ts'
import { platformEvents } from './shared/domain/log-events.ts'
import { isForWorkload } from './shared/http/addressed-to.ts'
import { healthAddresses } from './shared/http/health.ts'
import type { Guards, Operation } from './shared/http/operation.ts'
import { bodyDeadlines, singularHeaders, unreadableRefusal } from './shared/http/unreadable.ts'
import { postgresAuditTrail } from './shared/postgres/audit.ts'
import { postgresIdempotency } from './shared/postgres/idempotent-requests.ts'
import { migrations } from './shared/postgres/migrations.ts'
import { queueMetrics } from './shared/postgres/queue-metrics.ts'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

/** Done once, by the process that starts the others. */
export function enterControlGroup({ ownsControlGroup, logLevel }: Config): void {
  const failure = ownsControlGroup ? enterDelegatedGroup() : undefined
  if (failure === undefined) return
  createLog('platform', logLevel, platformEvents)('control_group.unavailable', { detail: failure })
}

const cursorLifeSeconds = 24 * 60 * 60

/** Opens the real world: the database is there and migrated when this returns. */
export async function openAdapters(config: Config) {
  const log = createLog('platform', config.logLevel, platformEvents)
  const processMetrics = createMetrics('platform')
  const tracing = nestedSpans(openTracing('causeway-platform', config.tracing))
  const loops: LoopReports = { log, metrics: processMetrics }
  const pool = openPool(config.databaseUrl, { name: sealingName('platform', config.encryptionKeys.primary) })
  const box = sealedBox(config.encryptionKeys)
  const prepare = async () => {
    await awaitDatabase(pool, 10_000)
    await migrate(pool, migrations)
    await assertKeysLoaded(pool, config.encryptionKeys, box)
  }
  // Connections of a start that is refused would count as a process that seals by its key.
  await prepare().catch(async (error) => {
    await pool.end()
    throw error
  })
  const vault = vaultOf(box, log)
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl)
  if (redis) await awaitRedis(redis, 10_000)
  poolMetrics(processMetrics, pool)
  const probes = { database: () => databaseAnswers(pool), ...(redis && { redis: () => redisAnswers(redis) }) }
  probeMetrics(processMetrics, probes)
  queueMetrics(processMetrics, pool)
  const confinement = lazyConfinement({
    unconfined: config.unconfinedWorkloads,
    noteRefusal: (command, message) => log('command.refused', { task: command, detail: message }),
  })
  const gateway = openGatewayAdapters(
    config,
    { pool, redis, vault, confinement },
    { log, loops, processMetrics, tracing },
  )
  return {
    log,
    processMetrics,
    tracing,
    loops,
    now: () => new Date(),
    pause: (ms: number): Promise<void> => pause(ms),
    vault,
    redis,
    confinement,
    cursors: opaqueCursors(config.encryptionKeys, cursorLifeSeconds),
    idempotency: postgresIdempotency(pool, vault),
    auditTrail: postgresAuditTrail(pool),
    ...openIdentityAdapters(config, pool, vault),
    ...openControlPlaneAdapters(config, pool),
    ...gateway,
    ...openJobAdapters(pool, vault),
    ...(await openBillingAdapters(config, pool)),
    probes,
    close: closeAll(
      gateway.closeGateway,
      () => redis?.disconnect(),
      () => pool.end(),
      () => tracing.close(),
    ),
  }
}

export type PlatformProgram = {
  app: RequestListener
  unreadable: DeadlineOptions
  operations: Operation[]
  settle: Settle
  /** Whose word about the trace of a request counts. */
  joinsTrace: JoinsTrace
  close(): Promise<void>
}

export function assemble(config: Config, adapters: Adapters): PlatformProgram {
  const { log, now, idempotency } = adapters
  const identity = assembleIdentity(config, adapters, (workspace, name) =>
    controlPlane.forGateway.findFunction(workspace, name),
  )
  const { accounts, enter, openTo, identify, identifyAgain, countMore } = identity
  const guards: Guards = { headers: config.headers, identify, identifyAgain, countMore, enter, idempotency, log }
  const controlPlane = assembleControlPlane(config, adapters, {
    access: {
      enter,
      openTo,
      accountFor: accounts.forCreation,
      accountsOf: async (caller) => (await accounts.list(caller)).map(({ id }) => id),
    },
    builtInImages: [echoImage],
    isBuiltIn: isEchoImage,
    isSchedule: (text) => parseSchedule(text) !== undefined,
    missingSecrets,
    mayCallBack: adapters.mayCallBack,
  })
  const jobs = assembleJobs(config, adapters, guards, { jobs: controlPlane.forJobs, isEcho: isEchoImage })
  const billing = assembleBilling(adapters, accounts, adapters.changes)
  const gateway = assembleGateway(config, adapters, guards, { workloads: controlPlane.forGateway, openTo })
  const operations = [controlPlane, identity, jobs, billing, gateway].flatMap((area) => area.operations)
  const durations = requestDurations(adapters.processMetrics)
  const app = createApp({
    config,
    log,
    durations,
    now,
    gatewayAnswers: gateway.answers,
    ready: adapters.probes,
    guards,
    functionRequests: gateway.functionRequests,
    gateway: [gateway.routes, jobs.routes],
    identity: identity.pages,
    costs: billing.costs,
    operations,
  })
  const sweeping = repeat('forget-idempotent-requests', 600_000, idempotency.sweep, adapters.loops)
  const { api, inference, auth } = config.addresses
  const unreadable = {
    refusal: unreadableRefusal(config.headers, now),
    defectOf: requestDefects({
      isOurHost: ownHosts({ addresses: [api, inference, auth], names: config.allowedHosts }),
      probes: healthAddresses,
      singular: singularHeaders(config.headers),
      isPassedOn: isForWorkload,
      keys: identity.exposedKeys,
    }),
    ...bodyDeadlines(config.gateway),
  }
  // The fast path is in front of the framework, and the server must still create the framework's request objects.
  if (config.requestClasses) withRequestClasses(app)
  const listener = Object.assign(gateway.fastPath(app, durations), { request: app.request, response: app.response })
  const close = closeAll(sweeping.stop, controlPlane.close, identity.close, billing.close, jobs.close, gateway.close)
  const joinsTrace = identity.hasGoodCredential
  return { app: listener, unreadable, operations, settle: controlPlane.settle, joinsTrace, close }
}
