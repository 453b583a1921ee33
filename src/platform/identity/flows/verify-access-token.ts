import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { type FunctionUser, type FunctionUsers, isFunctionUserId, isLoginFor } from '../domain/function-access.ts'
import type { AccessTokenReader, Claims, Grants, OAuthClients, Users } from '../domain/ports.ts'

/**
 * Returns undefined if the token is not valid or its owner does not exist any more. A token for the MCP server of a
 * function is valid there alone: only who serves that address names it as `resource`.
 */
export type VerifyAccessToken = (token: string, resource?: string) => Promise<Caller | undefined>

type Needs = {
  accessTokens: AccessTokenReader
  users: Pick<Users, 'find'>
  functionUsers: Pick<FunctionUsers, 'find'>
  clients: Pick<OAuthClients, 'find'>
  records: Grants
  gatewayUrl: string
}

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const verifyAccessToken = (needs: Needs): VerifyAccessToken => {
  const { accessTokens, users, functionUsers, clients, records, gatewayUrl } = needs
  const user = ttlCache(async (id: string) => toUser(await users.find(id)), briefly)
  const serviceAccount = ttlCache(async (id: string) => toServiceAccount(await clients.find(id)), briefly)
  const functionUser = ttlCache((id: string) => functionUsers.find(id), briefly)
  // A token is good for two hours, but not longer than what a person allowed.
  const isAllowed = ttlCache((grant: string) => records.hasGrant(grant), briefly)
  const ownerOf = async ({ sub, kind, aud }: Claims, isForFunction: boolean): Promise<Owner | undefined> => {
    if (kind === 'service_account') return isForFunction ? undefined : serviceAccount.get(sub)
    if (!isFunctionUserId(sub)) return user.get(sub)
    const known = isForFunction ? await functionUser.get(sub) : undefined
    return known && isLoginFor(known, aud, gatewayUrl) ? toEndUser(known, aud) : undefined
  }
  return async (token, resource) => {
    const claims = await accessTokens.claimsOf(token, resource)
    if (!claims || (claims.grant !== undefined && !(await isAllowed.get(claims.grant)))) return undefined
    const isForFunction = resource !== undefined && claims.aud === resource
    const owner = await ownerOf(claims, isForFunction)
    // Scopes are matched whole, against what the token lists between single spaces.
    const scopes = new Set(claims.scope.split(' '))
    const onlyAt = isForFunction && { onlyAt: { resource, functionId: undefined, ...owner?.onlyAt } }
    return owner && { ...owner, credential: `token:${owner.id}`, scopes, grant: claims.grant ?? owner.grant, ...onlyAt }
  }
}

type Owner = Omit<Caller, 'scopes' | 'credential'>

function toUser(user: Awaited<ReturnType<Users['find']>>): Owner | undefined {
  return user && { kind: 'user', id: user.id, label: user.email, workspace: undefined }
}

const toEndUser = ({ id, label, workspace, functionId }: FunctionUser, resource: string): Owner => ({
  kind: 'end_user',
  id,
  label,
  workspace,
  onlyAt: { resource, functionId },
})

function toServiceAccount(client: Awaited<ReturnType<OAuthClients['find']>>): Owner | undefined {
  if (!client?.serviceAccount) return undefined
  const { clientId, name, serviceAccount } = client
  return {
    kind: 'service_account',
    id: clientId,
    label: name,
    workspace: serviceAccount.workspace,
    grant: serviceAccount.grant,
  }
}
