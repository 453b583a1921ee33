import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { RedisClient } from '../../../kit/database/redis.ts'
import { stored } from '../../../kit/database/stored.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { maxMessageChars, type Thread, type ThreadMemory } from '../domain/thread.ts'

const keptMessages = 100
const keptSeconds = 24 * 60 * 60

const StoredMessage = z.object({ role: z.enum(['user', 'assistant']), content: z.string() })

/** Hashed so that IDs cannot collide across workspaces, and braced so that Redis Cluster uses one slot. */
const keyOf = ({ workspace, agent, id }: Thread) =>
  `platform:thread:{${createHash('sha256')
    .update(JSON.stringify([workspace, agent, id]))
    .digest('base64url')}}`

export function redisThreadMemory(redis: RedisClient): ThreadMemory {
  return {
    async recall(thread) {
      const messages = await redis.lrange(keyOf(thread), 0, -1).catch(throwThreadsUnavailable)
      return messages.map((message) => stored(StoredMessage, JSON.parse(message)))
    },

    // One transaction, so a key is never left untrimmed or without a TTL.
    async remember(thread, messages) {
      const key = keyOf(thread)
      const cut = messages.map(({ role, content }) =>
        JSON.stringify({ role, content: content.slice(0, maxMessageChars) }),
      )
      await redis
        .multi()
        .rpush(key, ...cut)
        .ltrim(key, -keptMessages, -1)
        .expire(key, keptSeconds)
        .exec()
    },
  }
}

/** Fails the request: without the history the agent would answer differently. */
function throwThreadsUnavailable(cause: unknown): never {
  throw new Failure('store_unavailable', 'Thread storage is unavailable. Try again in a moment.', { cause })
}
