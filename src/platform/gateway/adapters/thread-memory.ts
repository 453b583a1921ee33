import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { RedisClient } from '../../../kit/database/redis.ts'
import { stored } from '../../../kit/database/stored.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { longestMessage, type Thread, type ThreadMemory } from '../domain/thread.ts'

const keptMessages = 100
const keptSeconds = 24 * 60 * 60

const StoredMessage = z.object({ role: z.enum(['user', 'assistant']), content: z.string() })

/** Hashed, so that no thread id can be mistaken for another workspace's, and whole conversations share one hash slot. */
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

    // One transaction: a key that is grown but not trimmed, or has no lifetime, must not stay behind.
    async remember(thread, messages) {
      const key = keyOf(thread)
      const cut = messages.map(({ role, content }) =>
        JSON.stringify({ role, content: content.slice(0, longestMessage) }),
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

/** An agent that is asked without what was said before would answer something else. */
function throwThreadsUnavailable(cause: unknown): never {
  throw new Failure('store_unavailable', 'The memory of threads is away. Please try again in a moment.', { cause })
}
