import type { Profile } from './integration.ts'

export const usesOpenId = (profile: Profile): boolean => profile.scopes.some(({ name }) => name === 'openid')

export const requestedScopes = (profile: Profile): string[] => profile.scopes.map(({ name }) => name)

// Providers often omit OpenID scopes from the granted list.
export const identityScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  // Google's names for two of them in responses.
  'https://www.googleapis.com/auth/userinfo.profile',
  'https://www.googleapis.com/auth/userinfo.email',
])

/** A response without scopes granted the requested ones (RFC 6749 §5.1). */
export function missingScopes(profile: Profile, granted: readonly string[] | undefined): string[] {
  if (!granted) return []
  const needed = profile.scopes.filter((scope) => !scope.optional && !identityScopes.has(scope.name))
  return needed.map(({ name }) => name).filter((name) => !granted.includes(name))
}

export const unrequestedScopes = (profile: Profile, granted: readonly string[]): string[] =>
  granted.filter((name) => !identityScopes.has(name) && !profile.scopes.some((scope) => scope.name === name))
