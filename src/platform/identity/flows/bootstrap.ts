import { randomBytes, randomUUID } from 'node:crypto'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { operator } from '../../shared/domain/audit.ts'
import { newApiKey } from '../domain/api-key.ts'
import type { ApiKeys, SigningKeys, Tenancy } from '../domain/ports.ts'
import { keysInUse } from '../domain/signing-key.ts'

export type Bootstrap = { account: string; workspace: string; email: string; keyName: string }

/** Creates what is missing, so it can run at every start, and one more API key for the user. */
export const bootstrap =
  ({ tenancy, apiKeys }: { tenancy: Tenancy; apiKeys: Pick<ApiKeys, 'add'> }) =>
  async ({ account, workspace, email, keyName }: Bootstrap): Promise<{ accountId: string; apiKey: Secret }> => {
    const accountId = await tenancy.ensureAccount(randomUUID(), account)
    const userId = await tenancy.ensureUser(randomUUID(), email)
    await tenancy.ensureAccountAdmin(accountId, userId)
    await tenancy.ensureWorkspace(randomUUID(), workspace, accountId, email)
    await tenancy.ensureWorkspaceAdmin(workspace, userId)
    const key = newApiKey()
    await apiKeys.add({ ...key, name: keyName, scopes: undefined, expiresAt: undefined }, { userId }, operator)
    return { accountId, apiKey: key.key }
  }

/** A new key signs from now on; keys whose last token is dead are removed. */
export const rotateKeys =
  ({ signingKeys, now }: { signingKeys: SigningKeys; now: () => Date }) =>
  async (): Promise<{ kid: string; removed: number }> => {
    const kid = randomBytes(9).toString('base64url')
    await signingKeys.add(kid)
    const all = await signingKeys.list()
    const kept = new Set(keysInUse(all, now()).map((key) => key.kid))
    const dead = all.filter((key) => !kept.has(key.kid)).map((key) => key.kid)
    await signingKeys.remove(dead)
    return { kid, removed: dead.length }
  }
