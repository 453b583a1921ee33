import type pg from 'pg'
import type { Prepared } from '../../kit/database/prepared.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import type { LinkingPorts } from '../domain/ports/linking.ts'
import type { Clock, Tokens } from '../domain/ports/shared.ts'
import type { SignedTokens } from '../provisioning/adapters/test-mode/signed-tokens.ts'
import { testProvider } from '../provisioning/adapters/test-mode/test-provider.ts'
import { postgresConnectSessions } from './adapters/connect-sessions.ts'
import { memoryPending } from './adapters/memory-pending-authorizations.ts'
import { redisPending } from './adapters/redis-pending-authorizations.ts'
import { rememberedAuthorizations } from './adapters/remembered-authorizations.ts'
import { rememberedSessions } from './adapters/remembered-sessions.ts'

type Parts = {
  pool: pg.Pool
  run: Prepared
  redis: RedisClient | undefined
  tokens: Tokens
  testTokens: SignedTokens
  now: Clock
}

export const openLinking = ({ pool, run, redis, tokens, testTokens, now }: Parts): LinkingPorts => ({
  sessions: rememberedSessions(postgresConnectSessions(pool, run), now),
  pending: rememberedAuthorizations(redis ? redisPending(redis, tokens) : memoryPending(now), now),
  testProvider: testProvider({ tokens: testTokens }),
})
