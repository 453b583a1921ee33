import { identityScopes } from '../../contract/integrations/requested-scopes.ts'
import type { Profile } from './integration.ts'

export { identityScopes }

type Scoped = Pick<Profile, 'scopes'>

export const usesOpenId = ({ scopes }: Scoped): boolean => scopes.some(({ name }) => name === 'openid')

export const sendsNonce = (profile: Profile): boolean => usesOpenId(profile) && profile.nonce === 'checked'

export const requestedScopes = ({ scopes }: Scoped): string[] => scopes.map(({ name }) => name)

/** A response without scopes granted the requested ones (RFC 6749 §5.1). */
export function missingScopes({ scopes }: Scoped, granted: readonly string[] | undefined): string[] {
  if (!granted) return []
  const needed = scopes.filter((scope) => !scope.optional && !identityScopes.has(scope.name))
  return needed.map(({ name }) => name).filter((name) => !granted.includes(name))
}

export const unrequestedScopes = ({ scopes }: Scoped, granted: readonly string[]): string[] =>
  granted.filter((name) => !identityScopes.has(name) && !scopes.some((scope) => scope.name === name))
