import { adminScope, allScopes } from '../../../contract/scopes.ts'

/** Scopes of OpenID Connect, for apps that people sign in to. */
const personalScopes = ['openid', 'offline_access']

export const knownScopes: readonly string[] = [...personalScopes, ...allScopes]

type Client = { serviceAccount: { role: 'admin' | 'member' } | undefined }

/** What a client may ask for. A service account that is no admin cannot be given the admin scope either. */
export function scopesOf({ serviceAccount }: Client): string[] {
  if (!serviceAccount) return [...knownScopes]
  return serviceAccount.role === 'admin' ? [...allScopes] : allScopes.filter((scope) => scope !== adminScope)
}

/** The scopes of a request that names none: all that the client may have on the platform. */
export const defaultScopesOf = (client: Client): string[] =>
  scopesOf(client).filter((scope) => !personalScopes.includes(scope))
