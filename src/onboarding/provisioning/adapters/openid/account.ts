import type * as openid from 'openid-client'
import { FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { memberAt } from '../../../../kit/token-answer/member-at.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Profile } from '../../../domain/integration.ts'
import type { UpstreamAccount } from '../../../domain/link.ts'
import { unreached } from './translate-error.ts'

export type AccountQuestion = {
  fetch: GuardedFetch
  profile: Profile
  configuration: openid.Configuration
  answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers
  members: Record<string, unknown>
  /** What was typed and what came with the callback. */
  values: Readonly<Record<string, string>>
  /** When the answer came. */
  now: number
}

export const clockToleranceSeconds = 30

/** Which account granted access, in the way the profile says; support compares it at every re-link. */
export async function readAccount(question: AccountQuestion): Promise<UpstreamAccount | undefined> {
  assertNotInFuture(question)
  const { from, id, label } = question.profile.account
  if (from === 'none') return undefined
  return accountIn(await sources[from](question), { id, label })
}

export function accountIn(source: unknown, { id, label }: Pick<Profile['account'], 'id' | 'label'>): UpstreamAccount {
  const account = accountId(memberAt(source, id))
  return { id: account, label: readable(memberAt(source, label)) ?? readable(account) ?? account }
}

/** The library leaves `iat` alone; a token from the future comes from a clock that cannot be trusted for `exp` either. */
function assertNotInFuture({ answer, now }: AccountQuestion) {
  const issuedAt = answer.claims()?.iat ?? 0
  if (issuedAt > now / 1_000 + clockToleranceSeconds) throw new DependencyError('identity_invalid', { detail: 'iat' })
}

const sources: Record<Exclude<Profile['account']['from'], 'none'>, (question: AccountQuestion) => unknown> = {
  id_token: ({ answer }) => answer.claims(),
  token_response: ({ members }) => members,
  callback: ({ values }) => values,
  inputs: ({ values }) => values,
  userinfo: async ({ fetch, profile, configuration, answer }) => {
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
    if (!endpoint) throw new DependencyError('identity_invalid', { detail: 'no userinfo' })
    const info = await askUserinfo(fetch, profile, endpoint, answer.access_token)
    const subject = answer.claims()?.sub
    const other = memberAt(info, 'sub')
    // OpenID Connect Core §5.3.2: an answer about another subject must not be used.
    if (subject !== undefined && other !== undefined && other !== subject) throw new DependencyError('identity_invalid')
    return info
  },
}

/** Plain HTTP and not the library's call: many providers' answers are not OpenID's and lack a `sub`. */
export async function askUserinfo(
  fetch: GuardedFetch,
  { api, account }: Pick<Profile, 'api' | 'account'>,
  url: string,
  accessToken: string,
): Promise<unknown> {
  const question = account.body === undefined ? undefined : JSON.stringify(account.body)
  const headers = {
    ...api.headers,
    [api.tokenHeader]: `${api.tokenPrefix}${accessToken}`,
    accept: 'application/json',
    'user-agent': 'causeway',
    ...(question !== undefined && { 'content-type': 'application/json' }),
  }
  const method = account.method ?? (question === undefined ? 'GET' : 'POST')
  const { status, body } = await fetch(url, { method, headers, body: question }).catch((error) => {
    throw error instanceof FetchError ? unreached(error) : error
  })
  const refused = new DependencyError('identity_invalid', { detail: 'userinfo' })
  if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) throw refused
  // The grant is in escrow, so asking again later loses nothing.
  if (status !== 200) throw new DependencyError('provider_unavailable', { retry: {}, detail: 'userinfo' })
  try {
    return JSON.parse(body.toString())
  } catch {
    throw refused
  }
}

/**
 * Connections are pinned to it, so nothing of it is left out: two accounts must never look like one. Longer than
 * OpenID Connect allows (Core §2, 255), and nothing that a ledger cannot return unchanged.
 */
function accountId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,500}$/u.test(id)) {
    throw new DependencyError('identity_invalid', { detail: 'account' })
  }
  return id
}

/** For people: without what cannot be seen or stored, and not longer than a line. */
function readable(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const seen = value.replace(/[\p{Cc}\p{Cs}]/gu, '').trim()
  return seen === '' ? undefined : [...seen].slice(0, 200).join('')
}
