import { randomBytes } from 'node:crypto'
import type { ServiceAccountInput, ServiceAccountUpdate } from '../../../contract/control-plane/service-account.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf } from '../domain/api-key.ts'
import { accountScopes, type Minter } from '../domain/delegation.ts'
import type { ServiceAccount, ServiceAccounts } from '../domain/ports.ts'

export type ManageServiceAccounts = ReturnType<typeof manageServiceAccounts>

type Needs = { serviceAccounts: ServiceAccounts; now: () => Date }

export const manageServiceAccounts = ({ serviceAccounts, now }: Needs) => ({
  /** The secret is known to nobody afterwards: only its hash is kept. It ends with the grant of who made it. */
  async create(workspace: string, input: ServiceAccountInput, by: Actor, minter: Minter, accountWide = false) {
    const secret = new Secret(randomBytes(32).toString('base64url'))
    const times = { createdAt: now(), updatedAt: now(), createdBy: by.label, updatedBy: by.label }
    const clientId = `sa-${randomBytes(12).toString('hex')}`
    const scopes = accountScopes(minter, input.role) ?? null
    const account = { ...input, ...times, clientId, workspace, scopes, accountWide }
    const added = await serviceAccounts.add(account, hashOf(secret.reveal()), by, minter.grant)
    if (!added) throw new Failure('name_taken', 'This name is taken.')
    return { account: added, secret }
  },

  list: ({ workspace }: Member): Promise<ServiceAccount[]> => serviceAccounts.list(workspace),

  find: async ({ workspace }: Member, clientId: string): Promise<ServiceAccount> =>
    (await serviceAccounts.find(workspace, clientId)) ?? missing(),

  async update({ caller, workspace }: Member, clientId: string, input: ServiceAccountUpdate): Promise<ServiceAccount> {
    accountScopes(caller, input.role)
    const change = { ...input, workspace, clientId, updatedAt: now(), updatedBy: caller.label }
    return (await serviceAccounts.update(change, actorOf(caller))) ?? missing()
  },

  remove: async ({ caller, workspace }: Member, clientId: string): Promise<ServiceAccount> =>
    (await serviceAccounts.remove(workspace, clientId, actorOf(caller))) ?? missing(),
})

function missing(): never {
  throw new Failure('resource_unknown', 'No service account has this id.')
}
