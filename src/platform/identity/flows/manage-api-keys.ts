import type { ApiKeyInput } from '../../../contract/control-plane/service-account.ts'
import type { Secret } from '../../../kit/secret.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { newApiKey } from '../domain/api-key.ts'
import type { ApiKeys, KeyOwner, KeyRecord } from '../domain/ports.ts'

export type ManageApiKeys = ReturnType<typeof manageApiKeys>

type Needs = { apiKeys: Pick<ApiKeys, 'add' | 'list' | 'find' | 'revoke'>; now: () => Date }

/** Keys of one owner; another owner's key is as missing as any. */
export const manageApiKeys = ({ apiKeys, now }: Needs) => ({
  async create(owner: KeyOwner, { name, expiresIn }: ApiKeyInput): Promise<{ record: KeyRecord; key: Secret }> {
    const made = newApiKey()
    const expiresAt = expiresIn === undefined ? undefined : new Date(now().getTime() + expiresIn * 1000)
    await apiKeys.add(made, name, owner, expiresAt)
    return { record: (await apiKeys.find(owner, made.id)) ?? missing(), key: made.key }
  },

  list: (owner: KeyOwner): Promise<KeyRecord[]> => apiKeys.list(owner),

  revoke: async (owner: KeyOwner, id: string): Promise<KeyRecord> => (await apiKeys.revoke(owner, id)) ?? missing(),
})

function missing(): never {
  throw new Failure('resource_unknown', 'No API key has this id.')
}
