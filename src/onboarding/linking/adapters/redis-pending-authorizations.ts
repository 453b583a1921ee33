import { z } from 'zod'
import type { RedisClient } from '../../../kit/database/redis.ts'
import { lateSeconds, pendingKey } from '../../adapters/redis/keys.ts'
import { defineScript } from '../../adapters/redis/script.ts'
import type { Claim, PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Tokens } from '../../domain/ports/shared.ts'

const StoredPending = z
  .strictObject({
    link: z.string(),
    // The stored name must stay: users at a provider return to the next release.
    integration: z.string(),
    // The flow rejects and audits a record without a verifier.
    verifier: z.string().catch(''),
    nonce: z.string(),
    browser: z.string(),
  })
  .transform(({ link, integration, verifier, nonce, browser }) => ({
    link,
    callback: integration,
    verifier,
    nonce,
    browser,
  }))

/** Repeats the result for the same attempt. Deleting a field marks the claim: a full Redis accepts no new fields. */
const claimScript = `
local record = redis.call('HMGET', KEYS[1], 'pending', 'browser', 'integration', 'claim', 'open')
if not record[1] then return {'unknown'} end
if redis.call('TTL', KEYS[1]) <= ${lateSeconds} then return {'expired', record[1]} end
local known = false
for i = 3, #ARGV do if ARGV[i] == record[2] then known = true end end
if not known then return {'foreign_browser', record[1]} end
if record[3] ~= ARGV[2] then return {'foreign_callback', record[1]} end
if record[5] then
  redis.pcall('HSET', KEYS[1], 'claim', ARGV[1])
  redis.call('HDEL', KEYS[1], 'open')
end
if record[5] or record[4] == ARGV[1] then return {'first', record[1]} end
return {'replay', record[1]}
`

/** One script, so that no record lacks an expiry. */
const putScript = `
redis.call('HSET', KEYS[1], 'pending', ARGV[1], 'browser', ARGV[2], 'integration', ARGV[3], 'open', 1)
redis.call('EXPIRE', KEYS[1], ARGV[4])
`

export function redisPending(
  redis: RedisClient,
  tokens: Pick<Tokens, 'digest'>,
): Omit<PendingAuthorizations, 'recall'> {
  const claim = defineScript<[outcome: string, record?: string]>(redis, 'claimAuthorization', claimScript)
  const put = defineScript<null>(redis, 'putAuthorization', putScript)
  return {
    async put(state, { link, callback, verifier, nonce, browser }, ttlSeconds) {
      const lifetime = String(ttlSeconds + lateSeconds)
      const stored: z.input<typeof StoredPending> = { link, integration: callback, verifier, nonce, browser }
      await put(pendingKey(tokens.digest(state)), JSON.stringify(stored), browser, callback, lifetime)
    },
    async claim(state, { attempt, browsers, callback }) {
      const [outcome, record] = await claim(pendingKey(tokens.digest(state)), attempt, callback, ...browsers)
      if (record === undefined) return { outcome } as Claim
      const pending = StoredPending.parse(JSON.parse(record))
      const isClaimed = outcome === 'first' || outcome === 'replay'
      return (isClaimed ? { outcome, pending } : { outcome, link: pending.link }) as Claim
    },
  }
}
