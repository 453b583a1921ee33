import { RedisStore } from 'connect-redis'
import type { RedisClient } from '../../../kit/database/redis.ts'
import { consoleFormKey, consoleGrantKey, consoleIndexKey, consoleSessionPrefix } from '../../adapters/redis/keys.ts'
import { idleSeconds, maxSessionSeconds } from '../../domain/console.ts'
import type { ConsoleSessions } from '../../domain/ports/console.ts'
import type { Tokens } from '../../domain/ports/shared.ts'

/** Each request extends a session; an idle one expires. */
export const redisConsoleStore = (client: RedisClient) =>
  new RedisStore({ client, prefix: consoleSessionPrefix, ttl: idleSeconds })

export function redisConsoleSessions(redis: RedisClient, { digest }: Pick<Tokens, 'digest'>): ConsoleSessions {
  const grantKey = (sessionId: string) => consoleGrantKey(digest(sessionId))
  const indexKey = (subject: string) => consoleIndexKey(digest(subject))
  const keepGrant = async (sessionId: string, sealed: string) =>
    void (await redis.set(grantKey(sessionId), sealed, 'EX', maxSessionSeconds))

  // One key per command: in a cluster the keys are on different servers.
  const end = async (sessionId: string) => {
    const deleted = await redis.del(`${consoleSessionPrefix}${sessionId}`)
    await redis.del(grantKey(sessionId))
    return deleted
  }

  return {
    async remember(subject, sessionId, sealedGrant) {
      await redis.multi().sadd(indexKey(subject), sessionId).expire(indexKey(subject), maxSessionSeconds).exec()
      if (sealedGrant) await keepGrant(sessionId, sealedGrant)
    },
    remembers: async (subject, sessionId) => (await redis.sismember(indexKey(subject), sessionId)) === 1,
    grantOf: async (sessionId) => (await redis.get(grantKey(sessionId))) ?? undefined,
    keepGrant,
    async forget(subject, sessionId) {
      await redis.srem(indexKey(subject), sessionId)
      await redis.del(grantKey(sessionId))
    },
    async endAll(subject) {
      const ended = await Promise.all((await redis.smembers(indexKey(subject))).map(end))
      await redis.del(indexKey(subject))
      return ended.reduce((sum, count) => sum + count, 0)
    },
    claimForm: async (sessionId, form) =>
      (await redis.set(consoleFormKey(digest(`${sessionId}|${form}`)), '', 'EX', maxSessionSeconds, 'NX')) === 'OK',
  }
}
