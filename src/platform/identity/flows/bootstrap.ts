import { randomBytes, randomUUID } from 'node:crypto'
import { operator } from '../../shared/domain/audit.ts'
import { newApiKey } from '../domain/api-key.ts'
import type { ApiKeys, SigningKeys, Tenancy } from '../domain/ports.ts'
import { keysInUse } from '../domain/signing-key.ts'

/** Idempotent, except that each run adds an API key. */
export async function bootstrap(
  { tenancy, apiKeys }: { tenancy: Tenancy; apiKeys: Pick<ApiKeys, 'add'> },
  { account, workspace, email, keyName }: Record<'account' | 'workspace' | 'email' | 'keyName', string>,
) {
  const accountId = await tenancy.ensureAccount(randomUUID(), account)
  const userId = await tenancy.ensureUser(randomUUID(), email)
  await tenancy.ensureAccountAdmin(accountId, userId)
  await tenancy.ensureWorkspace(randomUUID(), workspace, accountId, email)
  await tenancy.ensureWorkspaceAdmin(workspace, userId)
  const key = newApiKey()
  await apiKeys.add({ ...key, name: keyName, scopes: undefined, expiresAt: undefined }, { userId }, operator)
  return { accountId, apiKey: key.key }
}

export async function rotateKeys(signingKeys: SigningKeys, now: Date): Promise<{ kid: string; removed: number }> {
  const kid = randomBytes(9).toString('base64url')
  await signingKeys.add(kid)
  const all = await signingKeys.list()
  const kept = new Set(keysInUse(all, now).map((key) => key.kid))
  const dead = all.filter((key) => !kept.has(key.kid)).map((key) => key.kid)
  await signingKeys.remove(dead)
  return { kid, removed: dead.length }
}
