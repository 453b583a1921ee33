import type { Profile } from '../domain/integration.ts'
import { usesOpenId } from '../domain/scopes.ts'

export type ProfileProblem = { path: string[]; message: string }

/** Profiles that can be read and would fail every link: told at start, before any user finds out. */
export function profileProblems(profile: Profile): ProfileProblem[] {
  const { scopes, scopeSeparator, account, endpoints, issuer } = profile
  const names = scopes.map(({ name }) => name)
  const findings: Array<[isBroken: boolean, member: string, message: string]> = [
    [
      account.from === 'id_token' && !usesOpenId(profile),
      'scopes',
      'must have openid among them, or account must say where else the account is told',
    ],
    [new Set(names).size < names.length, 'scopes', 'must name each scope once'],
    [names.some((name) => name.includes(scopeSeparator)), 'scopes', 'must not hold the scopeSeparator'],
    [
      account.from === 'userinfo' && endpoints !== undefined && endpoints.userinfo === undefined,
      'endpoints',
      'must have a userinfo, because the account is told there',
    ],
    [
      usesOpenId(profile) && endpoints !== undefined && issuer === undefined,
      'issuer',
      'is needed beside endpoints where openid is among the scopes: identity tokens name it',
    ],
  ]
  return findings.flatMap(([isBroken, member, message]) => (isBroken ? [{ path: [member], message }] : []))
}
