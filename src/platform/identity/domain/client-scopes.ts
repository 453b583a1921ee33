import { adminScope, allScopes } from '../../../contract/scopes.ts'

const personalScopes = ['openid', 'offline_access']

export const knownScopes: readonly string[] = [...personalScopes, ...allScopes]

type Client = { serviceAccount: { role: 'admin' | 'member'; scopes: readonly string[] | null } | undefined }

/** Scopes a client may request. Only admin service accounts get the admin scope. Scoped accounts are limited to their scopes. */
export function scopesOf({ serviceAccount }: Client): string[] {
  if (!serviceAccount) return [...knownScopes]
  const { role, scopes } = serviceAccount
  const ofRole = role === 'admin' ? allScopes : allScopes.filter((scope) => scope !== adminScope)
  return ofRole.filter((scope) => scopes?.includes(scope) ?? true)
}

export const defaultScopesOf = (client: Client): string[] =>
  scopesOf(client).filter((scope) => !personalScopes.includes(scope))
