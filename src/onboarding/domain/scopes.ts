import { identityScopes } from '../../contract/integrations/requested-scopes.ts'
import type { Profile, Scope } from './integration.ts'

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

export type Access = 'read' | 'write' | 'delete' | 'admin'

/** What a permission allows, by its English description, or by its name. Unknown ones count as write. */
export function accessOf({ name, description }: Scope): Access {
  const text = description || name
  const onlyReads = description ? readsFirst.test(text) && !thenWrites.test(text) : /read(?!.?write)|view/i.test(text)
  if (onlyReads) return 'read'
  if (/\b(?:delete|remove)\b/i.test(text)) return 'delete'
  return /^(?:Manage|Control)\b| manage | settings\b| all (?:users|groups)\b/.test(text) ? 'admin' : 'write'
}

const readsFirst = /^(?:See|Read|List|Search|Know|Get)\b/
const thenWrites = /(?:,| and) (?:add|answer|change|manage|post|send|write)\b/

/** The connect page says so of every connection. */
export const onlyKeepsAccess = ({ description }: Scope): boolean => description?.startsWith('Keep access') ?? false
