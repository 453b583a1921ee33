import { randomBytes } from 'node:crypto'
import type { ServiceAccountInput, ServiceAccountUpdate } from '../../../contract/control-plane/service-account.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf } from '../domain/api-key.ts'
import { accountScopes, type Minter } from '../domain/delegation.ts'
import type { IdentityPorts, ServiceAccount } from '../domain/ports.ts'

type ServiceAccountPorts = Pick<IdentityPorts, 'serviceAccounts' | 'now'>

type NewServiceAccount = ServiceAccountInput & { workspace: string; by: Actor; minter: Minter; accountWide?: boolean }

/** Only the hash of the secret is stored. The account ends with the creator's grant. */
export async function createServiceAccount(
  { serviceAccounts, now }: ServiceAccountPorts,
  { by, minter, accountWide = false, ...input }: NewServiceAccount,
): Promise<{ account: ServiceAccount; secret: Secret }> {
  const secret = new Secret(randomBytes(32).toString('base64url'))
  const times = { createdAt: now(), updatedAt: now(), createdBy: by.label, updatedBy: by.label }
  const clientId = `sa-${randomBytes(12).toString('hex')}`
  const scopes = accountScopes(minter, input.role) ?? null
  const account = { ...input, ...times, clientId, scopes, accountWide }
  const added = await serviceAccounts.add(account, hashOf(secret.reveal()), by, minter.grant)
  if (!added) throw new Failure('name_taken', 'This name is taken.')
  return { account: added, secret }
}

export function listServiceAccounts(
  { serviceAccounts }: ServiceAccountPorts,
  { workspace }: Member,
): Promise<ServiceAccount[]> {
  return serviceAccounts.list(workspace)
}

export async function findServiceAccount(
  { serviceAccounts }: ServiceAccountPorts,
  { workspace }: Member,
  clientId: string,
): Promise<ServiceAccount> {
  return (await serviceAccounts.find(workspace, clientId)) ?? missing()
}

export async function updateServiceAccount(
  { serviceAccounts, now }: ServiceAccountPorts,
  { caller, workspace }: Member,
  clientId: string,
  input: ServiceAccountUpdate,
): Promise<ServiceAccount> {
  accountScopes(caller, input.role)
  const change = { ...input, workspace, clientId, updatedAt: now(), updatedBy: caller.label }
  return (await serviceAccounts.update(change, actorOf(caller))) ?? missing()
}

export async function removeServiceAccount(
  { serviceAccounts }: ServiceAccountPorts,
  { caller, workspace }: Member,
  clientId: string,
): Promise<ServiceAccount> {
  return (await serviceAccounts.remove(workspace, clientId, actorOf(caller))) ?? missing()
}

function missing(): never {
  throw new Failure('resource_unknown', 'No service account has this ID.')
}
