import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { hashOf, looksLikeApiKey } from '../domain/api-key.ts'
import type { ApiKeys } from '../domain/ports.ts'

type Needs = { apiKeys: Pick<ApiKeys, 'callerOf' | 'noteExposure'> }

/** A client that sends its key so does it with every request; once an hour is enough to know. */
const anHour = { ttlMs: 60 * 60_000, capacity: 10_000 }

/**
 * Records that a key was seen where logs and histories keep it, and returns its id the first time. A text that is no key
 * of ours is nobody's news.
 */
export const noteExposedKey = ({ apiKeys }: Needs) => {
  const exposures = ttlCache(async () => ({ noted: false }), anHour)
  return async (key: Secret, address: string | undefined): Promise<string | undefined> => {
    if (!looksLikeApiKey(key.reveal())) return undefined
    const hash = hashOf(key.reveal())
    const caller = await apiKeys.callerOf(hash)
    const exposure = caller && (await exposures.get(caller.credential))
    if (!caller || !exposure || exposure.noted) return undefined
    exposure.noted = true
    const by: Actor = { ...actorOf(caller), address }
    await apiKeys.noteExposure(hash, by)
    return caller.credential
  }
}
