import type * as openid from 'openid-client'
import type { GuardedFetch } from '../../../kit/guarded-fetch.ts'
import type { Profile } from '../../domain/integration.ts'
import type { UpstreamAccount } from '../../domain/link.ts'
import { Trouble } from '../../domain/trouble.ts'
import { memberAt } from './token-answer.ts'

export type AccountQuestion = {
  fetch: GuardedFetch
  profile: Profile
  configuration: openid.Configuration
  answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers
  members: Record<string, unknown>
  /** When the answer came. */
  now: number
}

export const clockToleranceSeconds = 30

/** Which account granted access, in the way the profile says; support compares it at every re-link. */
export async function readAccount(question: AccountQuestion): Promise<UpstreamAccount | undefined> {
  refuseFuture(question)
  const { from, id, label } = question.profile.account
  if (from === 'none') return undefined
  const source = await sources[from](question)
  const account = readable(memberAt(source, id))
  if (account === undefined) throw new Trouble('identity_invalid', undefined, 'account')
  return { id: account, label: readable(memberAt(source, label)) ?? account }
}

/** The library leaves `iat` alone; a token from the future tells of a clock that cannot vouch for `exp` either. */
function refuseFuture({ answer, now }: AccountQuestion) {
  const issuedAt = answer.claims()?.iat ?? 0
  if (issuedAt > now / 1_000 + clockToleranceSeconds) throw new Trouble('identity_invalid', undefined, 'iat')
}

const sources: Record<'id_token' | 'userinfo' | 'token_response', (question: AccountQuestion) => unknown> = {
  id_token: ({ answer }) => answer.claims(),
  token_response: ({ members }) => members,
  userinfo: async ({ fetch, configuration, answer }) => {
    const info = await askUserinfo(fetch, configuration.serverMetadata().userinfo_endpoint ?? '', answer.access_token)
    const subject = answer.claims()?.sub
    const other = memberAt(info, 'sub')
    // OpenID Connect Core §5.3.2: an answer about another subject must not be used.
    if (subject !== undefined && other !== undefined && other !== subject) throw new Trouble('identity_invalid')
    return info
  },
}

/** Plain HTTP and not the library's call: many providers' answers are not OpenID's and lack a `sub`. */
async function askUserinfo(fetch: GuardedFetch, url: string, accessToken: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'causeway' }
  try {
    const { status, body } = await fetch(url, { headers })
    if (status === 401) throw new Trouble('identity_invalid', undefined, 'userinfo')
    if (status !== 200) throw new Error('not answered')
    return JSON.parse(body.toString())
  } catch (error) {
    if (error instanceof Trouble) throw error
    // The grant is in escrow, so asking again later loses nothing.
    throw new Trouble('provider_unavailable', {}, 'userinfo')
  }
}

function readable(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  return value.replace(/\p{Cc}/gu, '').slice(0, 200)
}
