// Wires the areas together. Each area has its own compose.ts, and none imports another.
import { setTimeout as pause } from 'node:timers/promises'
import { opaqueCursors } from '../kit/crypto/opaque-cursor.ts'
import { sealedBox } from '../kit/crypto/sealed-box.ts'
import { assertKeysLoaded, sealingName } from '../kit/database/encryption-keys.ts'
import { openPool } from '../kit/database/pool.ts'
import { prepareDatabase } from '../kit/database/prepare-database.ts'
import { awaitRedis, openRedis } from '../kit/database/redis.ts'
import { watchPrimary } from '../kit/database/servers.ts'
import { sharePrimary } from '../kit/database/shared-primary.ts'
import { poolMetrics, probeMetrics } from '../kit/database/store-metrics.ts'
import { databaseProbe, redisProbe } from '../kit/database/store-probes.ts'
import { ownHosts } from '../kit/http/own-hosts.ts'
import { requestDurations } from '../kit/http/request-metrics.ts'
import { requestDefects } from '../kit/http/request-rules.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { createLog } from '../kit/process/log.ts'
import { createMetrics } from '../kit/process/metrics.ts'
import { closeAll } from '../kit/process/program.ts'
import { type LoopReports, repeat } from '../kit/process/repeat.ts'
import { openTracing } from '../kit/tracing/open-telemetry.ts'
import { nestedSpans } from '../kit/tracing/tracing.ts'
import { createApp } from './app.ts'
import { assembleBilling, openBillingAdapters } from './billing/compose.ts'
import type { Config } from './config.ts'
import { assembleControlPlane, openControlPlaneAdapters } from './control-plane/compose.ts'
import { assembleExports, openExports } from './exports/compose.ts'
import { assembleGateway, openGatewayAdapters } from './gateway/compose.ts'
import { missingSecrets } from './gateway/domain/model-api.ts'
import { echoImage, isEchoImage } from './gateway/domain/runtime.ts'
import { assembleIdentity, openIdentityAdapters } from './identity/compose.ts'
import { assembleJobs, openJobAdapters } from './jobs/compose.ts'
import { openFollowedSettings } from './settings/compose.ts'
import { bubblewrapEngine } from './shared/adapters/confinement/bubblewrap-engine.ts'
import { enterDelegatedGroup } from './shared/adapters/confinement/control-group.ts'
import { vaultOf } from './shared/adapters/vault.ts'
import { parseSchedule } from './shared/domain/cron.ts'
import type { Engine } from './shared/domain/engine.ts'
import { imageRules } from './shared/domain/image-rules.ts'
import { platformEvents } from './shared/domain/log-events.ts'
import { customHosts, isForWorkload } from './shared/http/addressed-to.ts'
import { healthAddresses } from './shared/http/health.ts'
import type { Guards } from './shared/http/operation.ts'
import { bodyDeadlines, singularHeaders, unreadableRefusal } from './shared/http/unreadable.ts'
import { postgresAuditTrail } from './shared/postgres/audit.ts'
import { postgresIdempotency } from './shared/postgres/idempotent-requests.ts'
import { migrations } from './shared/postgres/migrations.ts'
import { queueMetrics } from './shared/postgres/queue-metrics.ts'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

export function enterControlGroup({ ownsControlGroup, logLevel }: Config): void {
  const failure = ownsControlGroup ? enterDelegatedGroup() : undefined
  if (failure === undefined) return
  createLog('platform', logLevel, platformEvents)('control_group.unavailable', { detail: failure })
}

const cursorLifeSeconds = 24 * 60 * 60

export async function openAdapters(config: Config) {
  const log = createLog('platform', config.logLevel, platformEvents)
  const processMetrics = createMetrics('platform')
  const tracing = nestedSpans(openTracing('causeway-platform', config.tracing))
  const loops: LoopReports = { log, metrics: processMetrics }
  const name = sealingName('platform', config.encryptionKeys.primary)
  const primary = watchPrimary()
  const pool = openPool(config.databaseUrl, { name, pooler: config.databasePooler, primary })
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl)
  const learnPrimary = sharePrimary(redis, primary, 'platform')
  const box = sealedBox(config.encryptionKeys)
  const prepare = async () => {
    if (redis) await awaitRedis(redis, 10_000)
    await learnPrimary()
    await prepareDatabase(pool, migrations, {
      waitMs: 10_000,
      onWait: (detail) => log('migration.waits', { detail }),
    })
    await assertKeysLoaded(pool, config.encryptionKeys, box)
  }
  // Connections of a failed start would count as a process that seals with its key.
  await prepare().catch(async (error) => {
    redis?.disconnect()
    await pool.end()
    throw error
  })
  const vault = vaultOf(box, log)
  poolMetrics(processMetrics, pool)
  const probes = { database: databaseProbe(pool), ...(redis && { redis: redisProbe(redis) }) }
  probeMetrics(processMetrics, probes)
  queueMetrics(processMetrics, pool)
  const commands = bubblewrapEngine({
    unconfined: config.unconfinedWorkloads,
    noteRefusal: (command, message) => log('command.refused', { task: command, detail: message }),
  })
  const engine = await openEngine(config, commands)
  const gateway = openGatewayAdapters(config, { pool, redis, vault, engine }, { log, loops, processMetrics, tracing })
  const settings = await openFollowedSettings(config, { pool, vault, log })
  return {
    settings,
    log,
    processMetrics,
    tracing,
    loops,
    now: () => new Date(),
    pause: (ms: number): Promise<void> => pause(ms),
    vault,
    redis,
    learnPrimary,
    cursors: opaqueCursors(config.encryptionKeys, cursorLifeSeconds),
    idempotency: postgresIdempotency(pool, vault),
    auditTrail: postgresAuditTrail(pool),
    ...openIdentityAdapters(config, pool, vault),
    ...openControlPlaneAdapters(config, pool),
    ...gateway,
    ...openJobAdapters(pool, vault),
    ...(await openBillingAdapters(config, pool)),
    ...openExports(config, pool, processMetrics),
    probes,
    close: closeAll(
      settings.close,
      gateway.closeGateway,
      () => redis?.disconnect(),
      () => pool.end(),
      () => tracing.close(),
    ),
  }
}

/** The owner label of this platform's containers is its public address. */
async function openEngine(
  { engineUrl, engineImages, engineSharedStorage: sharedStorage, kubeconfig, addresses }: Config,
  commands: Engine,
): Promise<Engine> {
  const [, kind, namespace] = /^(\w+):(.*)$/.exec(engineUrl) ?? []
  if (kind === 'bubblewrap') return commands
  const options = { owner: addresses.api, images: imageRules(engineImages), commands }
  // Loaded only if it is used: its packages take longer to load than the rest of the program.
  if (kind === 'kubernetes') {
    const { kubernetesEngine } = await import('./shared/adapters/kubernetes/kubernetes-engine.ts')
    return kubernetesEngine({ kubeconfig, namespace: namespace || undefined, sharedStorage, ...options })
  }
  const { dockerEngine } = await import('./shared/adapters/docker/docker-engine.ts')
  return dockerEngine({ url: engineUrl, ...options })
}

export function assemble(config: Config, adapters: Adapters) {
  const isContainer = (image: string) =>
    adapters.engine.containers !== undefined && image !== '' && !config.runtimes.find(image) && !isEchoImage(image)
  const { log, now, idempotency } = adapters
  const identity = assembleIdentity(config, adapters, (workspace, name) =>
    controlPlane.forGateway.findFunction(workspace, name),
  )
  const { enter, openTo, findAccount, listAccounts, accountFor, identify, identifyAgain, countMore, countPreview } =
    identity
  const counting = { countMore, countPreview }
  const guards: Guards = { headers: config.headers, identify, identifyAgain, ...counting, enter, idempotency, log }
  const controlPlane = assembleControlPlane(config, adapters, {
    enter,
    openTo,
    accountFor,
    accountsOf: async (caller) => (await listAccounts(caller)).map(({ id }) => id),
    builtInImages: [echoImage],
    engine: adapters.engine,
    isBuiltIn: isEchoImage,
    isContainer,
    isSchedule: (text) => parseSchedule(text) !== undefined,
    missingSecrets,
    mayCallBack: adapters.mayCallBack,
  })
  const imageSize = async (image: string) =>
    isContainer(image) ? adapters.engine.containers?.imageBytes?.(image).catch(() => undefined) : undefined
  const billing = assembleBilling(
    { ...adapters, findAccount, listAccounts, imageSize },
    { ...adapters, sessions: identity.sessions },
  )
  const gateway = assembleGateway(config, adapters, guards, {
    ...identity,
    workloads: controlPlane.forGateway,
    isContainer,
  })
  const { openAccounts } = gateway
  const images = { isEcho: isEchoImage, isContainer }
  const jobs = assembleJobs(config, { ...adapters, jobs: controlPlane.forJobs, openAccounts }, guards, images)
  const exporting = assembleExports(adapters)
  const operations = [controlPlane, identity, jobs, billing, gateway].flatMap((area) => area.operations)
  const durations = requestDurations(adapters.processMetrics)
  const app = createApp({
    config,
    log,
    durations,
    gatewayAnswers: gateway.answers,
    ready: adapters.probes,
    engine: adapters.engine,
    guards,
    functionRoutes: gateway.functionRoutes,
    gateway: [gateway.routes, jobs.routes],
    pages: [...identity.pages, ...gateway.pages, billing.pages],
    oauth: identity.oauth,
    operations,
  })
  const sharing = repeat('share-primary', 1_000, adapters.learnPrimary, adapters.loops)
  const following = repeat('follow-settings', 1_000, adapters.settings.follow, adapters.loops)
  const sweeping = repeat('forget-idempotent-requests', 600_000, idempotency.sweep, adapters.loops)
  const { api, inference, auth } = config.addresses
  const isOwnHost = ownHosts({ addresses: [api, inference, auth], names: config.allowedHosts })
  const hosts = customHosts(controlPlane.forGateway.customHosts)
  const learning = repeat('learn-custom-hosts', 5_000, hosts.read, adapters.loops)
  adapters.changes.listen(({ kind }) => (kind === 'preview' || kind === 'customdomain') && learning.soon())
  const unreadable: DeadlineOptions = {
    refusal: unreadableRefusal(config.headers, now),
    defectOf: requestDefects({
      isOurHost: (req) => isOwnHost(req) || hosts.claim(req),
      probes: healthAddresses,
      singular: singularHeaders(config.headers),
      isPassedOn: isForWorkload,
      keys: identity.exposedKeys,
    }),
    ...bodyDeadlines(config.gateway),
  }
  const close = closeAll(
    sharing.stop,
    following.stop,
    sweeping.stop,
    learning.stop,
    exporting.close,
    controlPlane.close,
    identity.close,
    billing.close,
    jobs.close,
    gateway.close,
  )
  const joinsTrace = identity.hasGoodCredential
  return {
    app: gateway.fastPath(app, durations),
    unreadable,
    operations,
    settle: controlPlane.settle,
    verifyDomains: () => controlPlane.verifyDomains().then(hosts.read),
    joinsTrace,
    close,
  }
}
