import type { ApiKeyInput } from '../../../contract/control-plane/service-account.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { newApiKey } from '../domain/api-key.ts'
import { keyLimits, type Minter } from '../domain/delegation.ts'
import type { ApiKeys, KeyOwner, KeyRecord } from '../domain/ports.ts'

export type ManageApiKeys = ReturnType<typeof manageApiKeys>

type Needs = { apiKeys: Pick<ApiKeys, 'add' | 'list' | 'revoke'>; now: () => Date }

/** Keys of one owner; another owner's key is as missing as any. */
export const manageApiKeys = ({ apiKeys, now }: Needs) => ({
  async create(
    owner: KeyOwner,
    { name, expiresIn }: ApiKeyInput,
    by: Actor,
    minter: Minter,
  ): Promise<{ record: KeyRecord; key: Secret }> {
    const made = newApiKey()
    const limits = keyLimits(minter, expiresIn, now())
    return { record: await apiKeys.add({ ...made, ...limits, name }, owner, by), key: made.key }
  },

  list: (owner: KeyOwner): Promise<KeyRecord[]> => apiKeys.list(owner),

  async revoke(owner: KeyOwner, id: string, by: Actor): Promise<KeyRecord> {
    const revoked = await apiKeys.revoke(owner, id, by)
    if (!revoked) throw new Failure('resource_unknown', 'No API key has this id.')
    return revoked
  },
})
