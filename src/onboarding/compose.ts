// The one place where things are made and joined; it reads top to bottom like a wiring list.
import { setTimeout as pause } from 'node:timers/promises'
import type { Express } from 'express'
import { backgroundWork } from '../kit/background-work.ts'
import { crashAt } from '../kit/crash-point.ts'
import { openDatabase } from '../kit/database/database.ts'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, databaseAnswers } from '../kit/database/pool.ts'
import { preparedStatements } from '../kit/database/prepared.ts'
import { guardedFetch } from '../kit/guarded-fetch.ts'
import type { DeadlineOptions } from '../kit/http/unreadable.ts'
import { createLog, type Log } from '../kit/log.ts'
import { createMetrics, type Metrics } from '../kit/metrics.ts'
import { closeAll } from '../kit/program.ts'
import { answers, awaitRedis, openRedis, refuseEviction } from '../kit/redis.ts'
import { sealedBox } from '../kit/sealed-box.ts'
import { type Crashable, crashing } from './adapters/crashing.ts'
import { keyedTokens } from './adapters/crypto/tokens.ts'
import { memoryPending } from './adapters/memory/pending-authorizations.ts'
import { memoryRateLimits } from './adapters/memory/rate-limits.ts'
import { metered } from './adapters/metered.ts'
import { openidProvider } from './adapters/openid/provider.ts'
import { platformClient } from './adapters/platform/platform.ts'
import { platformHttp } from './adapters/platform/platform-http.ts'
import { postgresApiKeys } from './adapters/postgres/api-keys.ts'
import { postgresAudit } from './adapters/postgres/audit.ts'
import { postgresConnectSessions } from './adapters/postgres/connect-sessions.ts'
import { postgresConnections } from './adapters/postgres/connections.ts'
import { postgresIdempotency } from './adapters/postgres/idempotency.ts'
import { postgresLinks } from './adapters/postgres/links.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { rememberedTenants } from './adapters/postgres/remembered-tenants.ts'
import type { LedgerSchema } from './adapters/postgres/schema.ts'
import { postgresSealedRows } from './adapters/postgres/sealed-rows.ts'
import { postgresTenants } from './adapters/postgres/tenants.ts'
import { postgresDeliveries } from './adapters/postgres/webhook-deliveries.ts'
import { postgresWebhooks } from './adapters/postgres/webhooks.ts'
import { pendingSeconds } from './adapters/redis/keys.ts'
import { redisPending } from './adapters/redis/pending-authorizations.ts'
import { redisRateLimits } from './adapters/redis/rate-limits.ts'
import { webhookSender } from './adapters/webhooks/webhook-sender.ts'
import { createApp } from './app.ts'
import { type Config, inProcess } from './config.ts'
import type { Tokens } from './domain/ports.ts'
import type { Adapters } from './flows/adapters.ts'
import { type Flows, joinFlows } from './flows/flows.ts'
import type { Readiness } from './http/health.ts'
import { unreadableRefusal } from './http/unreadable.ts'
import { catalogue } from './integrations/catalogue.ts'

export type World = Adapters & {
  log: Log
  metrics: Metrics
  readiness: Readiness
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
  const run = preparedStatements(pool)
  const links = postgresLinks(db, run, config.leaseSeconds)
  const metrics = createMetrics('causeway')
  const now = () => new Date()
  const brief = config.redisUrl === inProcess ? inProcessStore(log, now) : redisStore(config, log, tokens)
  const outside: Crashable = {
    links,
    pending: brief.pending,
    provider: openidProvider({ fetch, now, redirectUri: (id) => `${config.publicUrl}/oauth/callback/${id}` }),
    platform: platformClient(http, config.platform),
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
    sealedRows: postgresSealedRows(db, seal),
    tenants: rememberedTenants(postgresTenants(db, seal)),
    apiKeys: postgresApiKeys(db, tokens),
    sessions: postgresConnectSessions(db, run),
    metrics,
    ...metered(config.crashAt ? crashing(outside, crashAt(config.crashAt)) : outside, metrics),
    held: links,
    connections: postgresConnections(db),
    audit: postgresAudit(db),
    idempotency: postgresIdempotency(db),
    rates: brief.rates,
    webhooks: postgresWebhooks(db),
    deliveries: postgresDeliveries(db),
    webhookSender: webhookSender(webhookFetch),
    integrations: catalogue(config.integrations),
    readiness: { redis: brief.answers, database: () => databaseAnswers(pool), platform: () => http.ready() },
    prepareLedger,
    async prepare() {
      await Promise.all([prepareLedger(), brief.prepare()])
    },
    close: closeAll(
      () => background.finish(20_000),
      () => fetch.close(),
      () => webhookFetch.close(),
      () => http.close(),
      brief.close,
      closeDatabase,
    ),
  }
}

/** What is kept for minutes: authorizations under way and counts of requests. */
type BriefStore = Pick<Adapters, 'pending' | 'rates'> & {
  answers(): Promise<boolean>
  prepare(): Promise<void>
  close(): unknown
}

function redisStore({ redisUrl, startWaitMs }: Config, log: Log, tokens: Tokens): BriefStore {
  const redis = openRedis(redisUrl)
  return {
    pending: redisPending(redis, tokens),
    rates: redisRateLimits(redis),
    answers: () => answers(redis),
    async prepare() {
      await awaitRedis(redis, startWaitMs)
      await refuseEviction(redis, () => log.warn('Redis does not say whether it evicts keys; it must not'))
    },
    close: () => redis.quit(),
  }
}

const inProcessStore = (log: Log, now: () => Date): BriefStore => ({
  pending: memoryPending(now),
  rates: memoryRateLimits(now),
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
  const app = createApp({ flows, apiKeys, readiness, log, metrics, publicUrl, trustProxy, rates })
  return { flows, app, unreadable: { refusal: unreadableRefusal } }
}
