import type * as openid from 'openid-client'
import { FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { memberAt } from '../../../../kit/token-answer/member-at.ts'
import { parseExactly } from '../../../../kit/token-answer/parse-exactly.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Profile } from '../../../domain/integration.ts'
import type { UpstreamAccount } from '../../../domain/link.ts'
import { clockToleranceSeconds, unreached } from './translate-error.ts'

type AccountQuestion = {
  fetch: GuardedFetch
  profile: Profile
  configuration: openid.Configuration
  answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers
  members: Record<string, unknown>
  values: Readonly<Record<string, string>>
  now: number
}

export async function readAccount(question: AccountQuestion): Promise<UpstreamAccount | undefined> {
  assertNotInFuture(question)
  const { from, ...named } = question.profile.account
  if (from === 'none') return undefined
  return accountIn(await sources[from](question), named, isClaimed(question.profile))
}

/** Users can edit the query of an unsigned callback. */
const isClaimed = ({ account, callbackSignature }: Profile): boolean =>
  account.from === 'callback' && !callbackSignature && account.proof === undefined

export function accountIn(source: unknown, named: AccountMembers, claimed: boolean): UpstreamAccount {
  const { id, label } = accountMembers(source, named)
  const account = accountId(id)
  const known = { id: account, label: readable(label) ?? readable(account) ?? account }
  return claimed ? { ...known, claimed } : known
}

export type AccountMembers = Pick<Profile['account'], 'id' | 'label' | 'otherwise'>

export function accountMembers(source: unknown, { id, label, otherwise }: AccountMembers) {
  const named = otherwise && (memberAt(source, id) ?? undefined) === undefined ? otherwise : { id, label }
  return { id: memberAt(source, named.id), label: memberAt(source, named.label) }
}

/** The library does not check `iat`. A token from the future has an untrustworthy `exp` as well. */
function assertNotInFuture({ answer, now }: AccountQuestion) {
  const issuedAt = answer.claims()?.iat ?? 0
  if (issuedAt > now / 1_000 + clockToleranceSeconds) throw new DependencyError('identity_invalid', { detail: 'iat' })
}

const sources: Record<Exclude<Profile['account']['from'], 'none'>, (question: AccountQuestion) => unknown> = {
  id_token: ({ answer }) => answer.claims(),
  token_response: ({ members }) => members,
  callback: async ({ fetch, profile, answer, values }) => {
    const { proof } = profile.account
    if (proof !== undefined) await askUserinfo(fetch, profile, proof, answer.access_token)
    return values
  },
  inputs: ({ values }) => values,
  userinfo: async ({ fetch, profile, configuration, answer }) => {
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
    if (!endpoint) throw new DependencyError('identity_invalid', { detail: 'no userinfo' })
    const info = await askUserinfo(fetch, profile, endpoint, answer.access_token)
    const subject = answer.claims()?.sub
    const other = memberAt(info, 'sub')
    // OpenID Connect Core §5.3.2: a response about another subject must be rejected.
    if (subject !== undefined && other !== undefined && other !== subject) throw new DependencyError('identity_invalid')
    return info
  },
}

/** Plain HTTP: many userinfo responses have no `sub`, which the library requires. */
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
  // The grant is in escrow, so a retry loses nothing.
  if (status !== 200) throw new DependencyError('provider_unavailable', { retry: {}, detail: 'userinfo' })
  try {
    return parseExactly(body.toString())
  } catch {
    throw refused
  }
}

/** Never shortened, because connections are pinned to it. Longer than OpenID Connect Core §2 allows (255). */
function accountId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,500}$/u.test(id)) {
    throw new DependencyError('identity_invalid', { detail: 'account' })
  }
  return id
}

function readable(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const seen = value.replace(/[\p{Cc}\p{Cs}]/gu, '').trim()
  return seen === '' ? undefined : [...seen].slice(0, 200).join('')
}
