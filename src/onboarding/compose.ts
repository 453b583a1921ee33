// The one place where things are made and joined; it reads top to bottom like a wiring list.
import { setTimeout as pause } from 'node:timers/promises'
import type { Express } from 'express'
import { MemoryStore, type Store } from 'express-session'
import { derivedKeys } from '../kit/crypto/derived-keys.ts'
import { sealedBox } from '../kit/crypto/sealed-box.ts'
import { openDatabase } from '../kit/database/database.ts'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, databaseAnswers } from '../kit/database/pool.ts'
import { plainStatements, preparedStatements } from '../kit/database/prepared.ts'
import { answers, awaitRedis, openRedis, refuseEviction } from '../kit/database/redis.ts'
import { guardedFetch } from '../kit/fetch/guarded-fetch.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { backgroundWork } from '../kit/process/background-work.ts'
import { crashAt } from '../kit/process/crash-point.ts'
import { createLog, type Log } from '../kit/process/log.ts'
import { createMetrics, type Metrics } from '../kit/process/metrics.ts'
import { closeAll } from '../kit/process/program.ts'
import { type Crashable, crashing } from './adapters/crashing.ts'
import { keyedTokens } from './adapters/crypto/tokens.ts'
import { memoryConsoleSessions } from './adapters/memory/console-sessions.ts'
import { memoryPending } from './adapters/memory/pending-authorizations.ts'
import { memoryRateLimits } from './adapters/memory/rate-limits.ts'
import { metered } from './adapters/metered.ts'
import { openidConsoleIssuer } from './adapters/openid/console-issuer.ts'
import { openidProvider } from './adapters/openid/provider.ts'
import { functionState } from './adapters/platform/function-state.ts'
import { platformClient } from './adapters/platform/platform.ts'
import { platformHttp } from './adapters/platform/platform-http.ts'
import { platformUpkeep } from './adapters/platform/upkeep.ts'
import { postgresApiKeys } from './adapters/postgres/api-keys.ts'
import { postgresAudit } from './adapters/postgres/audit.ts'
import { postgresCampaigns } from './adapters/postgres/campaigns.ts'
import { postgresConnectSessions } from './adapters/postgres/connect-sessions.ts'
import { postgresConnectionTasks } from './adapters/postgres/connection-tasks.ts'
import { postgresConnections } from './adapters/postgres/connections.ts'
import { refuseMissingKeys } from './adapters/postgres/encryption-keys.ts'
import { postgresHealthChecks } from './adapters/postgres/health-checks.ts'
import { postgresIdempotency } from './adapters/postgres/idempotency.ts'
import { postgresKeptGrants } from './adapters/postgres/kept-grants.ts'
import { postgresLinks } from './adapters/postgres/links.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { rememberedTenants } from './adapters/postgres/remembered-tenants.ts'
import type { LedgerSchema } from './adapters/postgres/schema.ts'
import { postgresSealedRows } from './adapters/postgres/sealed-rows.ts'
import { supportLedger } from './adapters/postgres/support-ledger.ts'
import { postgresTenants } from './adapters/postgres/tenants.ts'
import { postgresDeliveries } from './adapters/postgres/webhook-deliveries.ts'
import { postgresWebhooks } from './adapters/postgres/webhooks.ts'
import { redisConsoleSessions, redisConsoleStore } from './adapters/redis/console-sessions.ts'
import { pendingSeconds } from './adapters/redis/keys.ts'
import { redisPending } from './adapters/redis/pending-authorizations.ts'
import { redisRateLimits } from './adapters/redis/rate-limits.ts'
import { webhookSender } from './adapters/webhooks/webhook-sender.ts'
import { createApp } from './app.ts'
import { type Config, inProcess } from './config.ts'
import type { Tokens } from './domain/ports.ts'
import type { Adapters, ConsoleAdapters } from './flows/adapters.ts'
import { joinConsoleFlows } from './flows/console-flows.ts'
import { type Flows, joinFlows } from './flows/flows.ts'
import type { Readiness } from './http/health.ts'
import { unreadableRefusal } from './http/unreadable.ts'
import { catalogue } from './integrations/catalogue.ts'

export type World = Adapters & {
  log: Log
  metrics: Metrics
  readiness: Readiness
  /** Nothing where the support console is off. */
  console: (ConsoleAdapters & { store: Store }) | undefined
  /** Enough for a command that needs the ledger alone. */
  prepareLedger(): Promise<void>
  /** Waits for the stores and brings the ledger up to date; refuses when one of them stays away. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** Opens the real world. Tests may replace any part of it before they call assemble(). */
export function openWorld(config: Config): World {
  const log = createLog('onboarding', config.logLevel)
  const background = backgroundWork(log)
  const {
    db,
    pool,
    close: closeDatabase,
  } = openDatabase<LedgerSchema>(config.databaseUrl, {
    connections: config.databaseConnections,
  })
  const fetch = guardedFetch({ allow: config.egressAllow })
  // Receivers have connections of their own: a slow one must not take a provider's.
  const webhookFetch = guardedFetch({ allow: config.egressAllow, maxBytes: 16 * 1024 })
  const http = platformHttp(config.platform)
  const tokens = keyedTokens(config.signingKey)
  const seal = sealedBox(config.encryptionKeys)
  const run = config.batchStatements ? preparedStatements(pool) : plainStatements(pool)
  const links = postgresLinks(db, run, config.leaseSeconds)
  const metrics = createMetrics('causeway')
  const now = () => new Date()
  const brief =
    config.redisUrl === inProcess ? inProcessStore(log, now) : redisStore(config, { log, metrics }, tokens, now)
  // The issuer is named by whoever runs this; what its metadata names must be as public as anybody's.
  const issuerFetch = guardedFetch({ allow: config.console ? [hostOf(config.console.issuer)] : [] })
  const outside: Crashable = {
    links,
    pending: brief.pending,
    provider: openidProvider({ fetch, now, redirectUri: (id) => `${config.publicUrl}/oauth/callback/${id}` }),
    platform: platformClient(http, config.platform),
    tasks: postgresConnectionTasks(db, config.leaseSeconds),
    upkeep: platformUpkeep(http, config.platform, platformClient(http, config.platform)),
  }
  const prepareLedger = async () => {
    await awaitDatabase(pool, config.startWaitMs)
    await migrate(pool, migrations)
  }
  return {
    log,
    now,
    chance: Math.random,
    pause: (ms) => pause(ms),
    background,
    tokens,
    seal,
    sealedRows: postgresSealedRows(db, seal, config.encryptionKeys.primary),
    tenants: rememberedTenants(postgresTenants(db, seal, tokens)),
    apiKeys: postgresApiKeys(db, tokens),
    sessions: postgresConnectSessions(db, run),
    metrics,
    ...metered(config.crashAt ? crashing(outside, crashAt(config.crashAt)) : outside, metrics),
    held: links,
    connections: postgresConnections(db),
    keptGrants: postgresKeptGrants(db),
    healthChecks: postgresHealthChecks(db),
    campaigns: postgresCampaigns(db),
    audit: postgresAudit(db),
    support: supportLedger(db),
    functionState: functionState(http),
    idempotency: postgresIdempotency(db),
    rates: brief.rates,
    webhooks: postgresWebhooks(db),
    deliveries: postgresDeliveries(db),
    webhookSender: webhookSender(webhookFetch),
    integrations: catalogue(config.integrations),
    readiness: { redis: brief.answers, database: () => databaseAnswers(pool), platform: () => http.ready() },
    console: config.console && {
      ...brief.console(),
      issuer: openidConsoleIssuer(issuerFetch, {
        ...config.console,
        redirectUri: `${config.publicUrl}/support/callback`,
      }),
    },
    prepareLedger,
    async prepare() {
      await Promise.all([prepareLedger(), brief.prepare()])
      await refuseMissingKeys(db, config.encryptionKeys)
    },
    close: closeAll(
      () => background.finish(20_000),
      () => fetch.close(),
      () => issuerFetch.close(),
      () => webhookFetch.close(),
      () => http.close(),
      brief.close,
      closeDatabase,
    ),
  }
}

/** What is kept for minutes: authorizations under way and counts of requests. */
type BriefStore = Pick<Adapters, 'pending' | 'rates'> & {
  console(): Pick<ConsoleAdapters, 'consoleSessions'> & { store: Store }
  answers(): Promise<boolean>
  prepare(): Promise<void>
  close(): unknown
}

type Reports = { log: Log; metrics: Metrics }

function redisStore({ redisUrl, startWaitMs }: Config, reports: Reports, tokens: Tokens, now: () => Date): BriefStore {
  const redis = openRedis(redisUrl)
  const rates = redisRateLimits(redis, now, reports)
  return {
    pending: redisPending(redis, tokens),
    rates,
    console: () => ({ store: redisConsoleStore(redis), consoleSessions: redisConsoleSessions(redis, tokens) }),
    answers: () => answers(redis),
    async prepare() {
      await awaitRedis(redis, startWaitMs)
      await refuseEviction(redis, () => reports.log.warn('Redis does not say whether it evicts keys; it must not'))
    },
    async close() {
      await rates.close()
      await redis.quit()
    },
  }
}

const inProcessStore = (log: Log, now: () => Date): BriefStore => ({
  pending: memoryPending(now),
  rates: memoryRateLimits(now),
  console: () => {
    const store = new MemoryStore()
    return { store, consoleSessions: memoryConsoleSessions(store, now) }
  },
  answers: async () => true,
  prepare: async () =>
    log.warn('no Redis: links under way are kept in this process and lost when it ends; good for a demo alone'),
  close: () => {},
})

export type Assembled = { app: Express; flows: Flows; unreadable: DeadlineOptions }

export function assemble(config: Config, world: World): Assembled {
  const flows = joinFlows(world, { ...config, authorizationSeconds: pendingSeconds })
  const { apiKeys, readiness, log, metrics } = world
  const { publicUrl, trustProxy, rates } = config
  const console = consoleParts(config, world)
  const app = createApp({ flows, apiKeys, readiness, log, metrics, publicUrl, trustProxy, rates, console })
  return { flows, app, unreadable: { refusal: unreadableRefusal } }
}

function consoleParts(config: Config, world: World) {
  if (!world.console || !config.console) return undefined
  const flows = joinConsoleFlows({ ...world, ...world.console }, config.console)
  // The first signs, all are accepted: encryption keys can be rotated without signing everybody out.
  const keys = [...derivedKeys(config.encryptionKeys, 'console cookie').values()]
  const secrets = keys.map((key) => key.toString('base64url'))
  const { platformConsoleUrl } = config
  return { flows, store: world.console.store, secrets, integrations: world.integrations.all, platformConsoleUrl }
}

const hostOf = (address: string) => {
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
