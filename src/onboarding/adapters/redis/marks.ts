import type { RedisClient } from '../../../kit/database/redis.ts'
import type { Marks } from '../../domain/ports/shared.ts'
import { markKey, markSeconds } from './keys.ts'
import { defineScript } from './script.ts'

/** Redis rejects SET when it is out of memory but keeps its data, so the claim is granted. */
const claimScript = `
local kept = redis.call('GET', KEYS[1])
if not kept then
  redis.pcall('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return 1
end
return kept == ARGV[1] and 1 or 0
`

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`

export function redisMarks(redis: RedisClient): Marks {
  const claim = defineScript<number>(redis, 'claimMark', claimScript)
  const release = defineScript<null>(redis, 'releaseMark', releaseScript)
  return {
    claim: async (register, subject, value) =>
      (await claim(markKey(register, subject), value, String(markSeconds[register]))) === 1,
    release: async (register, subject, value) => void (await release(markKey(register, subject), value)),
  }
}
