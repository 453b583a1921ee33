import { acceptedValue } from '../../../../contract/integrations/address-template.ts'
import { memberAt } from '../../../../kit/token-answer/member-at.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { Config } from '../../../domain/link.ts'

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

/** Providers separate scopes by spaces or commas. By default a plus sign belongs to the name. */
export function scopesOf(
  members: Record<string, unknown>,
  { scopeSeparator }: Pick<Integration, 'scopeSeparator'>,
): string[] | undefined {
  if (typeof members.scope !== 'string') return undefined
  const scopes = members.scope.split(scopeSeparator === '+' ? /[\s,+]+/ : /[\s,]+/).filter(Boolean)
  // RFC 6749 §3.3 allows less. These are the characters that PostgreSQL rejects.
  if (scopes.some((scope) => /[\p{Cc}\p{Cs}]/u.test(scope)))
    throw new DependencyError('answer_malformed', { detail: 'scope' })
  return scopes
}
