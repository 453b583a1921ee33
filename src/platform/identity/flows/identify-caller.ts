import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'

import { hashOf, looksLikeApiKey } from '../domain/api-key.ts'
import type { ApiKeys } from '../domain/ports.ts'
import type { VerifyAccessToken } from './verify-access-token.ts'

/** `resource`: the MCP server that is asked, whose own tokens are taken as well. */
export type IdentifyCaller = (credential: string, resource?: string) => Promise<Caller>

type Needs = { apiKeys: Pick<ApiKeys, 'callerOf'>; verifyAccessToken: VerifyAccessToken }

/** Revoked keys must stop working within five seconds, in every process. */
const briefly = { ttlMs: 3_000, capacity: 10_000 }

/** An API key or an access token; what is neither gets the same error as one that is not valid. */
export const identifyCaller = ({ apiKeys, verifyAccessToken }: Needs): IdentifyCaller => {
  // The hash is the name in the cache: keys themselves do not stay in memory.
  const callers = ttlCache((hash: string) => apiKeys.callerOf(Buffer.from(hash, 'base64')), briefly)
  return async (credential, resource) => {
    const caller = await (looksLikeApiKey(credential)
      ? callers.get(hashOf(credential).toString('base64'))
      : verifyAccessToken(credential, resource))
    if (!caller)
      throw new Failure('credential_invalid', isOnboardingKey(credential) ? otherKey : 'The credential is not valid.')
    return caller
  }
}

/** By its looks alone: whether it is good there is nobody's business here. */
const isOnboardingKey = (credential: string): boolean => credential.startsWith('cwk_')

const otherKey =
  'This is a key of Causeway (cwk_…). The platform takes a key of its own (cwp_…), and functions a function login, too.'
