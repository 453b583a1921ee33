import type { Profile } from './integration.ts'

export const usesOpenId = (profile: Profile): boolean => profile.scopes.some(({ name }) => name === 'openid')

export const requestedScopes = (profile: Profile): string[] => profile.scopes.map(({ name }) => name)

// OpenID scopes shape the identity answer and are often left out of the granted list.
export const identityScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  // What Google calls two of them in its answers, whatever they were called in the question.
  'https://www.googleapis.com/auth/userinfo.profile',
  'https://www.googleapis.com/auth/userinfo.email',
])

/** Scopes that were needed and not granted. An answer without a list granted what was asked (RFC 6749 §5.1). */
export function missingScopes(profile: Profile, granted: readonly string[] | undefined): string[] {
  if (!granted) return []
  const needed = profile.scopes.filter((scope) => !scope.optional && !identityScopes.has(scope.name))
  return needed.map(({ name }) => name).filter((name) => !granted.includes(name))
}

/** Scopes that nobody asked for. They do no harm to the link, but somebody may want to know. */
export const unrequestedScopes = (profile: Profile, granted: readonly string[]): string[] =>
  granted.filter((name) => !identityScopes.has(name) && !profile.scopes.some((scope) => scope.name === name))
