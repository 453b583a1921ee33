import { setTimeout as pause } from 'node:timers/promises'
import type { Express } from 'express'
import { derivedKeys, sealedBox } from '../kit/crypto/sealed-box.ts'
import { assertKeysLoaded, sealingName } from '../kit/database/encryption-keys.ts'
import { openPool } from '../kit/database/pool.ts'
import { prepareDatabase } from '../kit/database/prepare-database.ts'
import { plainStatements, preparedStatements } from '../kit/database/prepared.ts'
import { openReader } from '../kit/database/read-replica.ts'
import { watchPrimary } from '../kit/database/servers.ts'
import { sharePrimary } from '../kit/database/shared-primary.ts'
import { poolMetrics, probeMetrics } from '../kit/database/store-metrics.ts'
import { databaseProbe } from '../kit/database/store-probes.ts'
import { guardedFetch, hostAndPort } from '../kit/fetch/guarded-fetch.ts'
import { clientAddress } from '../kit/http/client-address.ts'
import { ownHosts } from '../kit/http/own-hosts.ts'
import { requestDefects } from '../kit/http/request-rules.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { backgroundWork, within } from '../kit/process/background-work.ts'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { createLog, type Log } from '../kit/process/log.ts'
import { createMetrics, type Metrics } from '../kit/process/metrics.ts'
import { closeAll } from '../kit/process/program.ts'
import type { SealedRows } from '../kit/process/rotate-encryption.ts'
import { openTracing } from '../kit/tracing/open-telemetry.ts'
import type { Tracing } from '../kit/tracing/tracing.ts'
import { inProcessCache, redisCache } from './adapters/cache.ts'
import { catalogueProbe } from './adapters/catalogue-probe.ts'
import { sealPort } from './adapters/crypto/seal.ts'
import { keyedTokens } from './adapters/crypto/tokens.ts'
import { linkTraces } from './adapters/link-traces.ts'
import { findingMetrics } from './adapters/observed/finding-metrics.ts'
import { ledgerMetrics } from './adapters/observed/ledger-metrics.ts'
import { observed } from './adapters/observed/observed.ts'
import { openAudit } from './adapters/open-audit.ts'
import { postgresIdempotency } from './adapters/postgres/idempotency.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { sealedLedger } from './adapters/postgres/sealed-columns.ts'
import { unawaitedCommits } from './adapters/postgres/unawaited-commits.ts'
import { pendingSeconds } from './adapters/redis/keys.ts'
import { createApp } from './app.ts'
import { postgresCampaigns } from './campaigns/adapters/campaigns.ts'
import { type Config, inProcess } from './config.ts'
import { openConnections } from './connections/compose.ts'
import { bodyDeadlines, isRelayed } from './connections/http/relay.ts'
import { type ConsoleWorld, openConsole, openSupport } from './console/compose.ts'
import { openDoctor } from './doctor/compose.ts'
import { warnOfFindings } from './doctor/flows/examine-integration.ts'
import { exportReport } from './domain/audit/export-report.ts'
import { integrationsReport } from './domain/doctor/called-addresses.ts'
import { partReport, platformState } from './domain/platform-report.ts'
import type { Deps, Ports } from './domain/ports/ports.ts'
import { type OnboardingEvent, onboardingEvents } from './domain/reports/log-events.ts'
import { apiKeyPrefix } from './domain/tenant.ts'
import { checkCatalogue } from './flows/check-catalogue.ts'
import { healthAddresses, type Readiness } from './http/health.ts'
import { unreadableRefusal } from './http/unreadable.ts'
import { postgresImports } from './imports/adapters/imports.ts'
import { servedIntegrations, withRegistered } from './integrations/served-integrations.ts'
import { testProviderUrl } from './integrations/test-integration.ts'
import { openLinking } from './linking/compose.ts'
import { postgresErasures } from './offboarding/adapters/erasures.ts'
import { postgresTenantDeletions } from './offboarding/adapters/tenant-deletions.ts'
import { platformHttp } from './provisioning/adapters/platform/platform-http.ts'
import { signedTokens } from './provisioning/adapters/test-mode/signed-tokens.ts'
import { withTestProvider } from './provisioning/adapters/test-mode/test-provider.ts'
import { openProvisioning } from './provisioning/compose.ts'
import { examinePlatform } from './provisioning/flows/examine-platform.ts'
import { warnAtStart } from './provisioning/flows/warn-at-start.ts'
import { openSettings } from './settings/compose.ts'
import { postgresApiKeys } from './tenants/adapters/api-keys.ts'
import { logoPictures } from './tenants/adapters/logo-pictures.ts'
import { rememberedTenants } from './tenants/adapters/remembered-tenants.ts'
import { postgresTenants } from './tenants/adapters/tenants.ts'
import { noteExposedKey } from './tenants/flows/manage-api-keys.ts'
import { postgresEventLog } from './webhooks/adapters/event-log.ts'
import { postgresDeliveries } from './webhooks/adapters/webhook-deliveries.ts'
import { webhookSender } from './webhooks/adapters/webhook-sender.ts'
import { postgresWebhooks } from './webhooks/adapters/webhooks.ts'

export type World = Ports & {
  background: ReturnType<typeof backgroundWork>
  log: Log<OnboardingEvent>
  metrics: Metrics
  tracing: Tracing
  readiness: Readiness
  sealedRows: SealedRows
  /** Undefined if the support console is off. */
  console: ConsoleWorld | undefined
  examineIntegrations(): Promise<void>
  sharePrimary(): Promise<void>
  /** For commands that only need the ledger. */
  prepareLedger(): Promise<void>
  prepareCache(): Promise<void>
  /** Waits for the stores and migrates the ledger. Throws if a store stays unavailable. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** How long a readiness probe waits for the start: the first connections and the migration. */
const preparingMs = 500

/** Tests may replace any part of it before they call assemble(). */
export function openWorld(config: Config, log = createLog('onboarding', config.logLevel, onboardingEvents)): World {
  const metrics = createMetrics('causeway')
  const background = backgroundWork(log)
  const now = () => new Date()
  const { databaseUrl, databaseConnections: connections, databasePooler: pooler } = config
  const name = sealingName('onboarding', config.encryptionKeys.primary)
  const primary = watchPrimary()
  const pool = openPool(databaseUrl, { connections, name, pooler, primary })
  const reader = openReader(config.databaseReadUrl, pool, { connections, pooler })
  const run = config.batchStatements ? preparedStatements(pool) : plainStatements(pool)
  const cache = config.redisUrl === inProcess ? inProcessCache(log, now) : redisCache(config, { log, metrics }, now)
  const seal = sealedBox(config.encryptionKeys)
  const tokens = keyedTokens(config.signingKey)
  const testTokens = signedTokens(config.signingKey)
  const testBase = testProviderUrl(config.publicUrl)
  const testMode = { base: testBase, tokens: testTokens, now, pause: (ms: number) => pause(ms) }
  const fetch = withTestProvider(guardedFetch({ allow: config.egressAllow }), testMode)
  // Separate connections, so that slow webhook endpoints don't block providers. A separate allow list, because tenants
  // choose these addresses.
  const webhookFetch = guardedFetch({ allow: config.webhookEgressAllow, maxBytes: 16 * 1024 })
  // The operator names the issuer; the addresses in its metadata must still be public.
  const issuerFetch = guardedFetch({ allow: config.console ? [hostAndPort(new URL(config.console.issuer))] : [] })
  // Provider pages are larger than responses to links.
  const probeFetch = guardedFetch({ allow: config.egressAllow, maxBytes: 1024 * 1024 })
  const tracing = openTracing('causeway-onboarding', config.tracing)
  const http = platformHttp(config.platform)
  const audit = openAudit(pool, { ...config, keyring: config.encryptionKeys })
  const parts = { pool, run, redis: cache.redis, http, seal, tokens, testTokens, now }
  const tenants = rememberedTenants(postgresTenants(pool, seal, tokens))
  const apiKeys = postgresApiKeys(pool, tokens)
  const nameOf = (id: string): string => integrations.find(id)?.displayName ?? id
  const provisioning = openProvisioning({ ...parts, fetch, testBase, nameOf }, config)
  const { catalogue, served } = servedIntegrations(config.integrations, config.publicUrl)
  const integrations = withRegistered(catalogue, provisioning.registeredClients)
  const settings = openSettings({ ...parts, served, log, mayCall: fetch.mayCall })
  const ownFetch = guardedFetch({ allow: [hostAndPort(new URL(config.publicUrl))], timeoutMs: 5_000 })
  const doctor = openDoctor({ pool, fetch: probeFetch, ownFetch, provider: provisioning.provider }, config)
  const examine = examinePlatform({ ...provisioning, tenants, integrations })
  /** Availability is checked each time; the response to our key is cached. */
  const examinePlatformNow = async () => examine({ isFresh: !(await http.answers()) })
  const recordFindings = findingMetrics(metrics)
  const examineIntegrations = () => warnOfFindings(world, log, recordFindings)
  poolMetrics(metrics, pool)
  const probeDatabase = databaseProbe(pool)
  probeMetrics(metrics, {
    database: probeDatabase,
    redis: cache.probe,
    platform: async () => platformState((await examinePlatformNow()).problem),
  })
  ledgerMetrics(metrics, pool, audit.exportStates)
  let notePrepared = () => {}
  const prepared = new Promise<'ready'>((resolve) => {
    notePrepared = () => resolve('ready')
  })
  const untilPrepared = () => within(prepared, preparingMs)
  /** Not ready until the migration is done, because the start may still fail. */
  const database = async () => {
    const [state, isPrepared] = await Promise.all([probeDatabase(), untilPrepared()])
    return state === 'ready' && !isPrepared ? 'being prepared' : state
  }
  const onWait = (detail: string) => log('migration.waits', { detail })
  const prepareLedger = async () =>
    void (await prepareDatabase(pool, migrations, { waitMs: config.startWaitMs, onWait }))
  const world: World = {
    log,
    sharePrimary: sharePrimary(cache.redis, primary, 'onboarding'),
    metrics,
    background,
    tracing,
    traces: linkTraces(tracing),
    now,
    chance: Math.random,
    pause: (ms) => pause(ms),
    seal: sealPort(seal),
    tokens,
    integrations,
    sealedRows: audit.withHeads(sealedLedger(pool, seal, config.encryptionKeys)),
    idempotency: postgresIdempotency(pool),
    rates: cache.rates,
    marks: cache.marks,
    clientVerdicts: cache.clientVerdicts,
    tenants,
    apiKeys,
    logoPictures: logoPictures(),
    webhooks: postgresWebhooks(pool),
    deliveries: postgresDeliveries(pool),
    eventLog: postgresEventLog(pool),
    webhookSender: webhookSender(webhookFetch),
    imports: postgresImports(pool),
    campaigns: postgresCampaigns(pool),
    deletions: postgresTenantDeletions(pool),
    erasures: postgresErasures(pool, audit.eraseEntries),
    ...audit.ports,
    ...doctor,
    ...settings,
    ...openSupport({ http, db: pool, reader }),
    ...provisioning,
    ...openLinking(parts),
    ...openConnections(parts, config),
    readiness: {
      redis: async () => untilPrepared().then(cache.probe),
      database,
      platform: async () => partReport(await examinePlatformNow()),
      integrations: async () => integrationsReport(integrations.configured(), fetch.mayCall),
      auditExport: async () => exportReport(await audit.exportStates().catch(() => [])),
    },
    console:
      config.console &&
      openConsole(
        { ...parts, fetch: issuerFetch },
        { ...config.console, redirectUri: `${config.publicUrl}/support/callback` },
      ),
    examineIntegrations,
    prepareLedger,
    prepareCache: cache.prepare,
    async prepare() {
      await cache.prepare()
      await world.sharePrimary() // so that an old primary is not migrated
      await prepareLedger()
      await assertKeysLoaded(pool, config.encryptionKeys, seal)
      await settings.followSettings()
      notePrepared()
      // The start does not wait for the platform.
      const ask = { examinePlatform: examine, unawaitedCommits: () => unawaitedCommits(pool) }
      const warned = warnAtStart({ log, integrations: integrations.configured(), mayCall: fetch.mayCall, ...ask })
      for (const each of [warned, examineIntegrations()])
        background.keep(each).catch(ignoreError('logged by the background work'))
    },
    close: closeAll(
      () => background.finish(20_000),
      () => apiKeys.recordUses(),
      () => fetch.close(),
      () => probeFetch.close(),
      () => ownFetch.close(),
      () => issuerFetch.close(),
      () => webhookFetch.close(),
      audit.close,
      () => http.close(),
      cache.close,
      () => pool.end(),
      reader.close,
      () => tracing.close(),
    ),
  }
  return world
}

type OnboardingProgram = Deps & { app: Express; unreadable: DeadlineOptions }

export const depsOf = (world: World, config: Config): Deps => ({
  ports: world,
  settings: { ...config, authorizationSeconds: pendingSeconds },
})

export function assemble(config: Config, opened: World): OnboardingProgram {
  const world = observed(opened, opened, opened.integrations.configured())
  const { readiness, log, metrics } = world
  const deps = depsOf(world, config)
  const console = consoleParts(config, world)
  const app = createApp({ ...deps, readiness, log, metrics, trustProxy: config.trustProxy, console })
  const unreadable = { refusal: unreadableRefusal, defectOf: requestDefectsOf(config, world), ...bodyDeadlines }
  return { ...deps, app, unreadable }
}

function requestDefectsOf({ publicUrl, allowedHosts, trustProxy }: Config, world: World) {
  const { background, log } = world
  const noteExposed = noteExposedKey(world)
  const addressOf = clientAddress(trustProxy)
  return requestDefects({
    isOurHost: ownHosts({ addresses: [publicUrl], names: allowedHosts }),
    probes: healthAddresses,
    isPassedOn: isRelayed,
    keys: {
      prefix: apiKeyPrefix,
      exposed: (key, req) => {
        const noted = noteExposed(key, addressOf(req)).then((keyId) => keyId && log('api_key.exposed', { key: keyId }))
        background.keep(noted).catch(ignoreError('logged by the background work'))
      },
    },
  })
}

function consoleParts(config: Config, world: World) {
  if (!world.console || !config.console) return undefined
  // The first key signs, all are accepted, so that a rotation does not end sessions.
  const keys = [...derivedKeys(config.encryptionKeys, 'console cookie').values()]
  const secrets = keys.map((key) => key.export().toString('base64url'))
  const { platformConsoleUrl, viewers, showsSampleData } = config
  const pages = { integrations: world.integrations.items, platformConsoleUrl, viewers, showsSampleData }
  const { store, ...ports } = world.console
  return { deps: { ports: { ...world, ...ports }, settings: config.console }, store, secrets, ...pages }
}

export function openCatalogueCheck() {
  const fetch = guardedFetch({ allow: [] })
  const check = checkCatalogue({ probe: catalogueProbe(fetch), now: () => new Date() })
  return { check, close: () => fetch.close() }
}
