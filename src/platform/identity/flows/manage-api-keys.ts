import type { ApiKeyInput } from '../../../contract/control-plane/service-account.ts'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf, looksLikeApiKey, newApiKey } from '../domain/api-key.ts'
import { keyLimits, type Minter } from '../domain/delegation.ts'
import type { IdentityPorts, KeyOwner, KeyRecord } from '../domain/ports.ts'

type KeyPorts = Pick<IdentityPorts, 'apiKeys' | 'now'>

type NewKey = ApiKeyInput & { owner: KeyOwner; by: Actor; minter: Minter }

export async function createApiKey(
  { apiKeys, now }: KeyPorts,
  { owner, name, expiresIn, by, minter }: NewKey,
): Promise<{ record: KeyRecord; key: Secret }> {
  const made = newApiKey()
  const limits = keyLimits(minter, expiresIn, now())
  return { record: await apiKeys.add({ ...made, ...limits, name }, owner, by), key: made.key }
}

export const ownerOf = ({ kind, id }: Caller): KeyOwner => (kind === 'user' ? { userId: id } : { serviceAccountId: id })

export function listApiKeys({ apiKeys }: KeyPorts, owner: KeyOwner): Promise<KeyRecord[]> {
  return apiKeys.list(owner)
}

export async function revokeApiKey({ apiKeys }: KeyPorts, owner: KeyOwner, id: string, by: Actor): Promise<KeyRecord> {
  const revoked = await apiKeys.revoke(owner, id, by)
  if (!revoked) throw new Failure('resource_unknown', 'No API key has this ID.')
  return revoked
}

/** Clients repeat the mistake with every request. */
const anHour = { ttlMs: 60 * 60_000, capacity: 10_000 }

/** Records that a key appeared in a URL, which logs and histories keep. Returns the key's ID the first time. */
export function noteExposedKey({ apiKeys }: KeyPorts) {
  const exposures = ttlCache(async () => ({ noted: false }), anHour)
  return async (key: Secret, address: string | undefined): Promise<string | undefined> => {
    if (!looksLikeApiKey(key.reveal())) return undefined
    const hash = hashOf(key.reveal())
    const caller = await apiKeys.callerOf(hash)
    const exposure = caller && (await exposures.get(caller.credential))
    if (!caller || !exposure || exposure.noted) return undefined
    exposure.noted = true
    await apiKeys.noteExposure(hash, { ...actorOf(caller), address })
    return caller.credential
  }
}
