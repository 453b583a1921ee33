import type { Grant, Instance } from './instance.ts'
import { scopeMember } from './scopes.ts'
import type { Switches } from './switch-table.ts'

export type Issue = {
  grant: Grant
  accessToken: string
  refreshToken?: string | undefined
  idToken?: string | undefined
}

export function tokenAnswer(instance: Instance, issue: Issue): unknown {
  const { switches } = instance
  const { token_type: type, api_base_member: apiBase, identity } = switches
  const tokens = {
    access_token: issue.accessToken,
    ...refreshMember(issue.refreshToken, switches),
    ...(type !== 'missing' && { token_type: type }),
    ...expiryMember(instance.now(), switches),
  }
  const others = {
    ...(switches.errors === 'slack' && { ok: true }),
    scope: scopeMember(issue.grant.scopes, switches),
    ...(issue.idToken !== undefined && { id_token: issue.idToken }),
    ...(apiBase !== undefined && { [apiBase]: apiPlace(instance, issue.grant) }),
    ...(identity === 'token_answer' && accountMembers(issue.grant.account)),
  }
  return nested(tokens, others, switches.token_nesting)
}

export const apiPlace = ({ url, switches }: Instance, { place }: Grant): string =>
  switches.api_base_value === 'url' ? `${url}/api/in/${place}` : place

const mailHost = '@misbehave.example'

/** An account with an `@` is its own email address. */
export const accountMembers = (account: string) => ({
  account_id: `account-${account}`,
  account_email: account.includes('@') ? account : `${account}${mailHost}`,
})

export const accountWithEmail = (email: string): string =>
  email.endsWith(mailHost) ? email.slice(0, -mailHost.length) : email

function refreshMember(token: string | undefined, { refresh_token: rule }: Switches): object {
  if (rule === 'empty') return { refresh_token: '' }
  if (rule === 'null') return { refresh_token: null }
  if (rule === 'number') return { refresh_token: 12_345 }
  return token === undefined ? {} : { refresh_token: token }
}

function expiryMember(now: number, { expiry, access_lifetime: lifetime }: Switches): object {
  const endsAt = now + lifetime * 1_000
  return {
    expires_in: { expires_in: lifetime },
    text: { expires_in: String(lifetime) },
    iso: { expires_at: new Date(endsAt).toISOString() },
    epoch: { expires_at: Math.floor(endsAt / 1_000) },
    words: { expires_in: 'soon' },
    missing: {},
  }[expiry]
}

const botTokens = { access_token: 'bot-access-token', refresh_token: 'bot-refresh-token' }

function nested(tokens: object, others: object, nesting: Switches['token_nesting']): unknown {
  if (nesting === 'authed_user') return { ...others, authed_user: tokens }
  if (nesting === 'beside_bot') return { ...others, ...botTokens, authed_user: tokens }
  if (nesting === 'data') return { message: 'success', data: { ...tokens, ...others } }
  return nesting === 'list' ? [{ ...tokens, ...others }] : { ...tokens, ...others }
}
