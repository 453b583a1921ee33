import { MemoryStore, type Store } from 'express-session'
import type { RedisClient } from '../../kit/database/redis.ts'
import type { Queryable } from '../../kit/database/sql.ts'
import type { GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { ConsolePorts } from '../domain/ports/console.ts'
import type { Clock, Tokens } from '../domain/ports/shared.ts'
import type { SupportPorts } from '../domain/ports/support-ledger.ts'
import { functionState } from '../provisioning/adapters/platform/function-state.ts'
import type { PlatformHttp } from '../provisioning/adapters/platform/platform-http.ts'
import { withTestFunctionState } from '../provisioning/adapters/test-mode/test-platform.ts'
import { type ConsoleIssuerSettings, openidConsoleIssuer } from './adapters/console-issuer.ts'
import { memoryConsoleSessions } from './adapters/memory-console-sessions.ts'
import { redisConsoleSessions, redisConsoleStore } from './adapters/redis-console-sessions.ts'
import { savedViews } from './adapters/saved-views.ts'
import { supportLedger } from './adapters/support-ledger.ts'

/** `reader`: may be a standby. */
export const openSupport = (parts: { db: Queryable; reader: Queryable; http: PlatformHttp }): SupportPorts => ({
  support: supportLedger(parts.reader),
  savedViews: savedViews(parts.db),
  functionState: withTestFunctionState(functionState(parts.http)),
})

type Parts = { redis: RedisClient | undefined; fetch: GuardedFetch; tokens: Tokens; now: Clock }

export type ConsoleWorld = ConsolePorts & { store: Store }

export const openConsole = (parts: Parts, settings: ConsoleIssuerSettings): ConsoleWorld => ({
  ...sessionStores(parts),
  issuer: openidConsoleIssuer(parts.fetch, settings),
})

function sessionStores({ redis, tokens, now }: Parts): Pick<ConsoleWorld, 'store' | 'consoleSessions'> {
  if (redis) return { store: redisConsoleStore(redis), consoleSessions: redisConsoleSessions(redis, tokens) }
  const store = new MemoryStore()
  return { store, consoleSessions: memoryConsoleSessions(store, now) }
}
