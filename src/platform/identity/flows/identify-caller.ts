import { briefCache } from '../../../kit/brief-cache.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf, looksLikeApiKey } from '../domain/api-key.ts'
import type { ApiKeys } from '../domain/ports.ts'

export type IdentifyCaller = (credential: string) => Promise<Caller>

/** Revoked keys must stop working within five seconds, in every process. */
const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const identifyCaller = ({ apiKeys }: { apiKeys: Pick<ApiKeys, 'callerOf'> }): IdentifyCaller => {
  // The hash is the name in the cache: keys themselves do not stay in memory.
  const callers = briefCache((hash: string) => apiKeys.callerOf(Buffer.from(hash, 'base64')), briefly)
  return async (credential) => {
    const caller = looksLikeApiKey(credential) && (await callers.get(hashOf(credential).toString('base64')))
    if (!caller) throw new Failure('credential_invalid', 'The credential is not valid.')
    return caller
  }
}
