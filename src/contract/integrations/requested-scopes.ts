// Which scopes of a profile a connection requests: those of the profile, unless a session named others.
import type { Profile } from './profile-shape.ts'

type Values = Readonly<Record<string, string>>
type Requesting = Pick<Profile, 'scopes' | 'optionalScopes' | 'mcpUrl'>

/** Config values of a connection. `requested`: instead of the scopes of the profile. `added`: beside them. */
export const scopeValues = { requested: 'requested_scopes', added: 'added_scopes' } as const

/** Providers often omit OpenID scopes from the granted list. */
export const identityScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  // Google's names for two of them in responses.
  'https://www.googleapis.com/auth/userinfo.profile',
  'https://www.googleapis.com/auth/userinfo.email',
])

export const wordsIn = (text = ''): string[] => text.split(' ').filter(Boolean)

/** Linking needs them, whatever a session names. */
export const isAlwaysRequested = ({ name, always }: Profile['scopes'][number]): boolean =>
  always === true || identityScopes.has(name)

/** `scopes`: the requested ones. `optionalScopes`: those that a re-link could add because a call lacked them. */
export function withRequestedScopes<P extends Requesting>(profile: P, given: Values): P {
  const { mcpUrl, scopes, optionalScopes } = profile
  const { [scopeValues.requested]: requested, [scopeValues.added]: added } = given
  if (mcpUrl !== undefined || (requested === undefined && added === undefined)) return profile
  const allowed = [...scopes, ...optionalScopes.map((scope) => ({ ...scope, optional: true }))]
  const named = new Set(wordsIn(requested ?? scopes.map(({ name }) => name).join(' ')))
  const more = new Set(wordsIn(added))
  const isRequested = (scope: Profile['scopes'][number]) =>
    named.has(scope.name) || more.has(scope.name) || (isAlwaysRequested(scope) && scopes.includes(scope))
  const chosen = allowed.filter(isRequested)
  return {
    ...profile,
    scopes: chosen.map((scope) => (named.has(scope.name) || isAlwaysRequested(scope) ? scope : optional(scope))),
    // A tenant that named the scopes decides about others too.
    optionalScopes: requested === undefined ? optionalScopes.filter(({ name }) => !more.has(name)) : [],
  }
}

/** An added scope must not fail a re-link that its user accepts without it. */
const optional = (scope: Profile['scopes'][number]) => ({ ...scope, optional: true })
