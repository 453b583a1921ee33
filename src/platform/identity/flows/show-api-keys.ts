import type { ServiceAccountInput } from '../../../contract/control-plane/service-account.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Member, requireAdmin } from '../../shared/domain/caller.ts'
import type { IdentityPorts, KeyOwner, KeyRecord, ServiceAccount } from '../domain/ports.ts'
import { listApiKeys, ownerOf } from './manage-api-keys.ts'
import { createServiceAccount, findServiceAccount, listServiceAccounts } from './manage-service-accounts.ts'

export type OwnedKey = KeyRecord & { serviceAccount?: { clientId: string; name: string } | undefined }

export type KeyList = {
  keys: OwnedKey[]
  /** Undefined for the person's own keys. */
  workspace: string | undefined
  serviceAccounts: Array<{ clientId: string; name: string }>
  /** Workspaces that the person administers. */
  workspaces: string[]
}

const maxWorkspaces = 100

/** The person's own keys, or those of the service accounts of a workspace that they administer. */
export async function showApiKeys(
  ports: IdentityPorts,
  caller: Caller,
  workspace: string | undefined,
): Promise<KeyList> {
  const open = await ports.memberships.ofUser(caller.id)
  const administered = open.filter(({ role }) => role === 'admin').map((membership) => membership.workspace)
  const workspaces = administered.slice(0, maxWorkspaces)
  if (workspace === undefined)
    return { keys: await listApiKeys(ports, ownerOf(caller)), workspace, serviceAccounts: [], workspaces }
  const serviceAccounts = await listServiceAccounts(ports, await enterAsAdmin(ports, caller, workspace))
  const named = new Map(serviceAccounts.map((account) => [account.clientId, account]))
  const keys = await ports.apiKeys.ofServiceAccounts(workspace)
  return {
    keys: keys.map(({ serviceAccountId, ...key }) => ({ ...key, serviceAccount: named.get(serviceAccountId) })),
    workspace,
    serviceAccounts,
    workspaces,
  }
}

export async function findKeyOwner(
  ports: IdentityPorts,
  caller: Caller,
  { workspace, clientId }: { workspace: string | undefined; clientId: string },
): Promise<KeyOwner> {
  if (workspace === undefined) return ownerOf(caller)
  const member = await enterAsAdmin(ports, caller, workspace)
  return { serviceAccountId: (await findServiceAccount(ports, member, clientId)).clientId }
}

export async function addServiceAccount(
  ports: IdentityPorts,
  caller: Caller,
  workspace: string,
  input: ServiceAccountInput,
): Promise<{ account: ServiceAccount; secret: Secret }> {
  const entered = await enterAsAdmin(ports, caller, workspace)
  const wanted = { ...input, workspace: entered.workspace, by: actorOf(caller), minter: caller }
  return createServiceAccount(ports, wanted)
}

async function enterAsAdmin({ enter }: IdentityPorts, caller: Caller, workspace: string): Promise<Member> {
  const member = await enter(caller, workspace)
  requireAdmin(member)
  return member
}
