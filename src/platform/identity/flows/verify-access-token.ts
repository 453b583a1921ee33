import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import type { AccessTokenReader, Grants, OAuthClients, Users } from '../domain/ports.ts'

/** Returns undefined if the token is not valid or its owner does not exist any more. */
export type VerifyAccessToken = (token: string) => Promise<Caller | undefined>

type Needs = {
  accessTokens: AccessTokenReader
  users: Pick<Users, 'find'>
  clients: Pick<OAuthClients, 'find'>
  records: Grants
}

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const verifyAccessToken = ({ accessTokens, users, clients, records }: Needs): VerifyAccessToken => {
  const user = ttlCache(async (id: string) => toUser(await users.find(id)), briefly)
  const serviceAccount = ttlCache(async (id: string) => toServiceAccount(await clients.find(id)), briefly)
  // A token is good for two hours, but not longer than what a person allowed.
  const isAllowed = ttlCache((grant: string) => records.hasGrant(grant), briefly)
  return async (token) => {
    const claims = await accessTokens.claimsOf(token)
    if (!claims || (claims.grant !== undefined && !(await isAllowed.get(claims.grant)))) return undefined
    const owner = await (claims.kind === 'user' ? user : serviceAccount).get(claims.sub)
    // Scopes are matched whole, against what the token lists between single spaces.
    const scopes = new Set(claims.scope.split(' '))
    return owner && { ...owner, credential: `token:${owner.id}`, scopes, grant: claims.grant }
  }
}

type Owner = Omit<Caller, 'scopes' | 'credential'>

function toUser(user: Awaited<ReturnType<Users['find']>>): Owner | undefined {
  return user && { kind: 'user', id: user.id, label: user.email, workspace: undefined }
}

function toServiceAccount(client: Awaited<ReturnType<OAuthClients['find']>>): Owner | undefined {
  if (!client?.serviceAccount) return undefined
  const { clientId, name, serviceAccount } = client
  return { kind: 'service_account', id: clientId, label: name, workspace: serviceAccount.workspace }
}
