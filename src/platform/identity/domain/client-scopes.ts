import { adminScope, allScopes } from '../../../contract/scopes.ts'

/** Scopes of OpenID Connect, for apps that people sign in to. */
const personalScopes = ['openid', 'offline_access']

export const knownScopes: readonly string[] = [...personalScopes, ...allScopes]

type Client = { serviceAccount: { role: 'admin' | 'member'; scopes: readonly string[] | null } | undefined }

/** What a client may ask for. A service account that is no admin cannot be given the admin scope either. One that was made with scopes has those. */
export function scopesOf({ serviceAccount }: Client): string[] {
  if (!serviceAccount) return [...knownScopes]
  const { role, scopes } = serviceAccount
  const ofRole = role === 'admin' ? allScopes : allScopes.filter((scope) => scope !== adminScope)
  return ofRole.filter((scope) => scopes?.includes(scope) ?? true)
}

/** The scopes of a request that names none: all that the client may have on the platform. */
export const defaultScopesOf = (client: Client): string[] =>
  scopesOf(client).filter((scope) => !personalScopes.includes(scope))
