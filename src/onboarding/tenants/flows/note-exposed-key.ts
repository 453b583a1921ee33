import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import type { ApiKeys } from '../../domain/ports/tenants.ts'

type Needs = { apiKeys: Pick<ApiKeys, 'caller'>; audit: Audit }

/** A client that sends its key so does it with every request; once an hour is enough to know. */
const anHour = { ttlMs: 60 * 60_000, capacity: 10_000 }

/**
 * Records that a key was seen where logs and histories keep it, and returns its id the first time. A text that is no key
 * of ours is nobody's news.
 */
export const noteExposedKey = ({ apiKeys, audit }: Needs) => {
  const exposures = ttlCache(async () => ({ noted: false }), anHour)
  return async (key: Secret, address: string | undefined): Promise<string | undefined> => {
    const caller = await apiKeys.caller(key)
    const exposure = caller && (await exposures.get(caller.keyId))
    if (!caller || !exposure || exposure.noted) return undefined
    exposure.noted = true
    const subject = { kind: 'api_key', id: caller.keyId } as const
    const actor = { kind: 'api_key', id: caller.keyId, address } as const
    await audit.note({ action: 'key.exposed', actor, subject, tenant: caller.tenant, facts: {} })
    return caller.keyId
  }
}
