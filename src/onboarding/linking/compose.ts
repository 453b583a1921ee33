import type { Kysely } from 'kysely'
import type { Prepared } from '../../kit/database/prepared.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { LinkingPorts } from '../domain/ports/linking.ts'
import type { Clock, Tokens } from '../domain/ports/shared.ts'
import { postgresConnectSessions } from './adapters/connect-sessions.ts'
import { memoryPending } from './adapters/memory-pending-authorizations.ts'
import { redisPending } from './adapters/redis-pending-authorizations.ts'

type Parts = {
  db: Kysely<LedgerSchema>
  run: Prepared
  /** Undefined where the program keeps authorizations in its own memory. */
  redis: RedisClient | undefined
  tokens: Tokens
  now: Clock
}

export const openLinking = ({ db, run, redis, tokens, now }: Parts): LinkingPorts => ({
  sessions: postgresConnectSessions(db, run),
  pending: redis ? redisPending(redis, tokens) : memoryPending(now),
})
