// The one place where the program is put together: what every area shares, then area by area.
import { setTimeout as pause } from 'node:timers/promises'
import type { Express } from 'express'
import { derivedKeys, sealedBox } from '../kit/crypto/sealed-box.ts'
import { assertKeysLoaded } from '../kit/database/encryption-keys.ts'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, databaseAnswers, openPool } from '../kit/database/pool.ts'
import { plainStatements, preparedStatements } from '../kit/database/prepared.ts'
import { postgresSealedRows } from '../kit/database/sealed-rows.ts'
import { sealingName } from '../kit/database/sealing-processes.ts'
import { poolMetrics, probeMetrics } from '../kit/database/store-metrics.ts'
import { guardedFetch } from '../kit/fetch/guarded-fetch.ts'
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
import { openTracing } from '../kit/tracing/open-tracing.ts'
import type { Tracing } from '../kit/tracing/tracing.ts'
import { inProcessCache, redisCache } from './adapters/cache.ts'
import { catalogueProbe } from './adapters/catalogue-probe.ts'
import { type Crashable, crashAt, crashing } from './adapters/crashing.ts'
import { sealPort } from './adapters/crypto/seal.ts'
import { keyedTokens } from './adapters/crypto/tokens.ts'
import { linkTraces } from './adapters/link-traces.ts'
import { findingMetrics } from './adapters/observed/finding-metrics.ts'
import { ledgerMetrics } from './adapters/observed/ledger-metrics.ts'
import { observed } from './adapters/observed/observed.ts'
import { postgresAudit } from './adapters/postgres/audit.ts'
import { postgresIdempotency } from './adapters/postgres/idempotency.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { sealedColumns } from './adapters/postgres/sealed-columns.ts'
import { pendingSeconds } from './adapters/redis/keys.ts'
import { createApp } from './app.ts'
import { openCampaigns } from './campaigns/compose.ts'
import { type Config, inProcess } from './config.ts'
import { openConnections } from './connections/compose.ts'
import { type ConsoleWorld, openConsole, openSupport } from './console/compose.ts'
import { consoleFlows } from './console/flows/console-flows.ts'
import { openDoctor } from './doctor/compose.ts'
import { examineAll } from './doctor/flows/examine-integration.ts'
import { warnOfFindings } from './doctor/flows/warn-of-findings.ts'
import { integrationsReport } from './domain/doctor/called-addresses.ts'
import { type OnboardingEvent, onboardingEvents } from './domain/log/log-events.ts'
import { partReport } from './domain/platform-report.ts'
import type { RegisteredClients } from './domain/ports/mcp-servers.ts'
import type { Integrations } from './domain/ports/shared.ts'
import { apiKeyPrefix } from './domain/tenant.ts'
import { checkCatalogue } from './flows/check-catalogue.ts'
import { type Flows, joinFlows, type Ports } from './flows.ts'
import { healthAddresses, type Readiness } from './http/health.ts'
import { unreadableRefusal } from './http/unreadable.ts'
import { openImports } from './imports/compose.ts'
import { type Catalogue, catalogue } from './integrations/catalogue.ts'
import { testProviderUrl } from './integrations/test-integration.ts'
import { openLinking } from './linking/compose.ts'
import { openOffboarding } from './offboarding/compose.ts'
import { platformHttp } from './provisioning/adapters/platform/platform-http.ts'
import { signedTokens } from './provisioning/adapters/test-mode/signed-tokens.ts'
import { withTestProvider } from './provisioning/adapters/test-mode/test-provider.ts'
import { openProvisioning } from './provisioning/compose.ts'
import { examinePlatform } from './provisioning/flows/examine-platform.ts'
import { warnAtStart } from './provisioning/flows/warn-at-start.ts'
import { openTenants } from './tenants/compose.ts'
import { openWebhooks } from './webhooks/compose.ts'

export type World = Ports & {
  log: Log<OnboardingEvent>
  metrics: Metrics
  tracing: Tracing
  readiness: Readiness
  sealedRows: SealedRows
  /** Undefined where the support console is off. */
  console: ConsoleWorld | undefined
  /** Has the doctor look at every integration, and says in the log and the metrics what is wrong. */
  examineIntegrations(): Promise<void>
  /** Enough for a command that needs the ledger alone. */
  prepareLedger(): Promise<void>
  prepareCache(): Promise<void>
  /** Waits for the stores and brings the ledger up to date; refuses when one of them stays away. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** At a restart this takes a moment, which a probe waits for. */
const preparingMs = 500

/** Opens the real world. Tests may replace any part of it before they call assemble(). */
export function openWorld(config: Config): World {
  const log = createLog('onboarding', config.logLevel, onboardingEvents)
  const metrics = createMetrics('causeway')
  const background = backgroundWork(log)
  const now = () => new Date()
  const { databaseUrl, databaseConnections: connections } = config
  const pool = openPool(databaseUrl, { connections, name: sealingName('onboarding', config.encryptionKeys.primary) })
  const run = config.batchStatements ? preparedStatements(pool) : plainStatements(pool)
  const cache = config.redisUrl === inProcess ? inProcessCache(log, now) : redisCache(config, { log, metrics }, now)
  const seal = sealedBox(config.encryptionKeys)
  const tokens = keyedTokens(config.signingKey)
  const testTokens = signedTokens(config.signingKey)
  const testBase = testProviderUrl(config.publicUrl)
  const testMode = { base: testBase, tokens: testTokens, now, pause: (ms: number) => pause(ms) }
  const fetch = withTestProvider(guardedFetch({ allow: config.egressAllow }), testMode)
  // Webhook endpoints have connections of their own: a slow one must not take a provider's. What is allowed for a
  // provider is not allowed for them: their addresses are chosen by tenants.
  const webhookFetch = guardedFetch({ allow: config.webhookEgressAllow, maxBytes: 16 * 1024 })
  // The operator names the issuer; the addresses in its metadata still have to be public.
  const issuerFetch = guardedFetch({ allow: config.console ? [hostOf(config.console.issuer)] : [] })
  // Pages of providers are longer than anything a link reads.
  const probeFetch = guardedFetch({ allow: config.egressAllow, maxBytes: 1024 * 1024 })
  const tracing = openTracing('causeway-onboarding', config.tracing)
  const http = platformHttp(config.platform)
  const parts = { pool, run, redis: cache.redis, http, seal, tokens, testTokens, now }
  const tenants = openTenants(parts)
  const nameOf = (id: string): string => integrations.find(id)?.displayName ?? id
  const provisioning = openProvisioning({ ...parts, fetch, testBase, nameOf }, config)
  const integrations = withRegistered(catalogue(config.integrations, config.publicUrl), provisioning.registeredClients)
  const ownFetch = guardedFetch({ allow: [hostOf(config.publicUrl)], timeoutMs: 5_000 })
  const doctor = openDoctor({ pool, fetch: probeFetch, ownFetch, provider: provisioning.provider }, config)
  const examine = examinePlatform({ ...provisioning, ...tenants, integrations })
  /** That it is away is seen at once; what it says to our key is remembered for a while. */
  const platform = async () => partReport(await examine({ isFresh: !(await http.answers()) }))
  const examineIntegrations = warnOfFindings({
    log,
    examineAll: examineAll({ ...doctor, ...tenants, ...provisioning, integrations, rates: cache.rates, now }),
    recordFindings: findingMetrics(metrics),
  })
  poolMetrics(metrics, pool)
  probeMetrics(metrics, { database: () => databaseAnswers(pool), redis: cache.answers, platform: () => http.answers() })
  ledgerMetrics(metrics, pool)
  let notePrepared = () => {}
  const prepared = new Promise<true>((resolve) => {
    notePrepared = () => resolve(true)
  })
  /** It answers before it is up to date, and users are not to meet a program that may yet refuse to start. */
  const database = async () => {
    if (!(await databaseAnswers(pool))) return false
    return (await within(prepared, preparingMs)) ?? { ready: false, state: 'being prepared', warnings: [] }
  }
  const prepareLedger = async () => {
    await awaitDatabase(pool, config.startWaitMs)
    await migrate(pool, migrations)
  }
  return {
    log,
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
    sealedRows: postgresSealedRows(pool, {
      program: 'onboarding',
      columns: sealedColumns,
      box: seal,
      primaryKey: config.encryptionKeys.primary,
    }),
    audit: postgresAudit(pool),
    idempotency: postgresIdempotency(pool),
    rates: cache.rates,
    ...tenants,
    ...openWebhooks({ pool, fetch: webhookFetch }),
    ...openImports(parts),
    ...openCampaigns(parts),
    ...openOffboarding(parts),
    ...doctor,
    ...openSupport(parts),
    ...crashable(config, {
      ...provisioning,
      ...openLinking(parts),
      ...openConnections(parts, config),
    }),
    readiness: {
      redis: cache.answers,
      database,
      platform,
      integrations: async () => integrationsReport(integrations.configured(), fetch.mayCall),
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
      await Promise.all([prepareLedger(), cache.prepare()])
      await assertKeysLoaded(pool, config.encryptionKeys, seal)
      notePrepared()
      // A platform that is slow to answer does not hold up the start.
      const { mayCall } = fetch
      background
        .keep(warnAtStart({ log, integrations: integrations.configured(), mayCall, examinePlatform: examine }))
        .catch(ignoreError('the background has logged it'))
      background.keep(examineIntegrations()).catch(ignoreError('the background has logged it'))
    },
    close: closeAll(
      () => background.finish(20_000),
      () => tenants.apiKeys.recordUses(),
      () => fetch.close(),
      () => probeFetch.close(),
      () => ownFetch.close(),
      () => issuerFetch.close(),
      () => webhookFetch.close(),
      () => http.close(),
      cache.close,
      () => pool.end(),
      () => tracing.close(),
    ),
  }
}

const withRegistered = (listed: Catalogue, { find }: RegisteredClients): Integrations => ({
  ...listed,
  registeredClient: async (integration, issuer) => (await find({ integration, issuer }))?.client,
})

/** With CRASH_AT set, the process ends where it says. */
const crashable = <P extends Crashable>({ crashAt: point }: Config, ports: P): P =>
  point ? { ...ports, ...crashing(ports, crashAt(point)) } : ports

export type OnboardingProgram = { app: Express; flows: Flows; unreadable: DeadlineOptions }

export function assemble(config: Config, opened: World): OnboardingProgram {
  const world = observed(opened, opened, opened.integrations.configured())
  const flows = joinFlows(world, { ...config, authorizationSeconds: pendingSeconds })
  const { apiKeys, readiness, log, metrics } = world
  const { publicUrl, completion, trustProxy, rates } = config
  const console = consoleParts(config, world)
  const app = createApp({ flows, apiKeys, readiness, log, metrics, publicUrl, completion, trustProxy, rates, console })
  return { flows, app, unreadable: { refusal: unreadableRefusal, defectOf: requestDefectsOf(config, world, flows) } }
}

function requestDefectsOf({ publicUrl, allowedHosts, trustProxy }: Config, { background, log }: World, flows: Flows) {
  const addressOf = clientAddress(trustProxy)
  return requestDefects({
    isOurHost: ownHosts({ addresses: [publicUrl], names: allowedHosts }),
    probes: healthAddresses,
    keys: {
      prefix: apiKeyPrefix,
      exposed: (key, req) => {
        const noted = flows.noteExposedKey(key, addressOf(req)).then((keyId) => {
          if (keyId) log('api_key.exposed', { key: keyId })
        })
        background.keep(noted).catch(ignoreError('it is logged'))
      },
    },
  })
}

function consoleParts(config: Config, world: World) {
  if (!world.console || !config.console) return undefined
  const flows = consoleFlows({ ...world, ...world.console }, config.console)
  // The first signs, all are accepted: encryption keys can be rotated without signing everybody out.
  const keys = [...derivedKeys(config.encryptionKeys, 'console cookie').values()]
  const secrets = keys.map((key) => key.toString('base64url'))
  const { platformConsoleUrl, viewers, showsSampleData } = config
  const pages = { integrations: world.integrations.items, platformConsoleUrl, viewers, showsSampleData }
  return { flows, store: world.console.store, secrets, ...pages }
}

const hostOf = (address: string) => {
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** For a command that needs no ledger: vendors are asked by the same guarded fetch as everybody else's servers. */
export function openCatalogueCheck() {
  const fetch = guardedFetch({ allow: [] })
  const check = checkCatalogue({ probe: catalogueProbe(fetch), now: () => new Date() })
  return { check, close: () => fetch.close() }
}
