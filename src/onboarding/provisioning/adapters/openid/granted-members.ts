// What a token answer says of a grant besides its tokens.
import { acceptedValue } from '../../../../contract/integrations/address-template.ts'
import { memberAt } from '../../../../kit/token-answer/member-at.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { Config } from '../../../domain/link.ts'

/** What the profile keeps of a token answer; what is `known` already may be left out of it. */
export function keptMembers(
  members: Record<string, unknown>,
  { keep }: Integration,
  known: Config = {},
): Record<string, string> {
  const kept = Object.entries(keep.fromAnswer).flatMap(([name, rule]) => {
    const value = acceptedValue(rule, memberAt(members, rule.path ?? name)) ?? known[name]
    if (value === undefined && !rule.optional) throw new DependencyError('answer_malformed', { detail: name })
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}

/**
 * Providers separate scopes by spaces or commas, whatever they take themselves. A plus sign may belong to a scope's
 * name, unless the profile says that it separates them.
 */
export function scopesOf(
  members: Record<string, unknown>,
  { scopeSeparator }: Pick<Integration, 'scopeSeparator'>,
): string[] | undefined {
  if (typeof members.scope !== 'string') return undefined
  const scopes = members.scope.split(scopeSeparator === '+' ? /[\s,+]+/ : /[\s,]+/).filter(Boolean)
  // RFC 6749 §3.3 allows less; these are what the ledger could not write down, with the grant on its way already.
  if (scopes.some((scope) => /[\p{Cc}\p{Cs}]/u.test(scope)))
    throw new DependencyError('answer_malformed', { detail: 'scope' })
  return scopes
}
