// What a token endpoint answered to a refresh: tokens, or whose fault it is that there are none.
import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { answerObjects, type Members } from '../../../kit/token-answer/answer-objects.ts'
import { answerText } from '../../../kit/token-answer/answer-text.ts'
import { memberAt } from '../../../kit/token-answer/member-at.ts'
import { readTokenAnswer, type Unreadable } from '../../../kit/token-answer/token-reading.ts'
import {
  AnswerUnread,
  ClientRejected,
  type Connection,
  GrantRevoked,
  ProfileMismatch,
  RefreshRefused,
  ThirdPartyError,
} from '../domain/connection.ts'
import { type Integration, isAmong } from '../domain/integration.ts'
import type { TokenAnswer } from '../domain/ports.ts'
import { isSuccess, packRefreshAnswer, type RefreshAnswer } from './refresh-answer.ts'

/** Ten years, in seconds. */
const longestLife = 10 * 365 * 24 * 60 * 60

// Some third parties send a number in quotes, and some what is no time at all. The answer is taken all the same: it may
// contain the only refresh token that still works.
const Lifetime = z.coerce.number().positive().max(longestLife).optional().catch(undefined)

type About = { integration: Integration; connection: Connection }

/** Throws AnswerUnread where a token may be in it, and nobody knows where. */
export function readRefreshAnswer(answer: RefreshAnswer, { integration, connection }: About): TokenAnswer {
  const { status } = answer
  const { within, errorMember = 'error', successMember } = integration.tokenAnswer
  const reading = isSuccess(answer) ? readTokenAnswer({ ...answer, within }) : undefined
  if (reading?.unreadable) throw unread(answer, reading.unreadable)
  const members = reading?.members ?? answerObjects(answerText(answer))?.[0] ?? {}
  // Not every third party refuses with 400 (RFC 6749, section 5.2): some answer 200 and an error.
  const said = memberAt(members, errorMember)
  const error = typeof said === 'string' ? said : undefined
  if (error !== undefined && status < 500 && isAmong(integration.brokenGrantErrors, error, status))
    throw new GrantRevoked(connection.name)
  const [accessToken, refreshToken] = [tokenIn(members.access_token), tokenIn(members.refresh_token)]
  const hasFailed = successMember !== undefined && memberAt(members, successMember) === false
  if (!reading || hasFailed || !(accessToken ?? refreshToken)) throw refusal(status, error, integration)
  const receivedAt = new Date(answer.receivedAt)
  const expiresInSeconds = Lifetime.parse(members.expires_in) ?? secondsUntil(members, integration, receivedAt) ?? 3_600
  return { accessToken, refreshToken, expiresInSeconds, receivedAt }
}

const tokenIn = (value: unknown): Secret | undefined =>
  typeof value === 'string' && value !== '' ? new Secret(value) : undefined

/** Whoever showed a page in place of an answer did not replace the token. */
const unread = (answer: RefreshAnswer, unreadable: Unreadable): ThirdPartyError =>
  unreadable === 'page'
    ? new ThirdPartyError(`The token endpoint answered ${answer.status} and a page.`)
    : new AnswerUnread(packRefreshAnswer(answer), unreadable === 'cut_off')

function refusal(status: number, error: string | undefined, { clientErrors }: Integration): ThirdPartyError {
  const message = `The token endpoint answered ${status}${errorWord(error)}.`
  if (isAmong(clientErrors, error, status) || usualClientErrors.has(error ?? '')) return new ClientRejected(message)
  if (status < 500 && requestErrors.has(error ?? '')) return new ProfileMismatch(`${message} ${requestAdvice}`)
  return isUnexplained(status, error) ? new RefreshRefused(message) : new ThirdPartyError(message)
}

/** RFC 6749, section 5.2: the request is not one that it takes there, whatever the grant. */
const requestErrors = new Set(['unsupported_grant_type', 'invalid_request'])

const requestAdvice =
  'It takes refresh requests elsewhere or in another form than the profile of this integration says (`refresh`, `tokenRequest`).'

/** RFC 6749, section 5.2, and what GitHub and Slack say for the same. */
const usualClientErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'bad_client_secret',
])

/** RFC 6749, section 5.2: 400, or 401, with an error. Some send the status alone, or a page. */
const isUnexplained = (status: number, error: string | undefined) =>
  (status === 400 || status === 401) && error !== 'temporarily_unavailable' && error !== 'server_error'

/** A code such as invalid_client tells the owner what to fix; anything else is not passed on. */
const errorWord = (error: string | undefined) => (/^[a-z_]{3,40}$/.test(error ?? '') ? ` (${error})` : '')

/** From a time in the answer, or from what the profile says of every token. */
function secondsUntil(members: Members, { tokenAnswer }: Integration, now: Date): number | undefined {
  const { expiresAtMember, expiresInSeconds } = tokenAnswer
  const at = expiresAtMember === undefined ? undefined : timeOf(memberAt(members, expiresAtMember))
  const seconds = at === undefined ? expiresInSeconds : (at - now.getTime()) / 1_000
  return seconds !== undefined && seconds > 0 ? Math.min(seconds, longestLife) : expiresInSeconds
}

/** ISO 8601, or seconds since 1970 as a number or in quotes. */
function timeOf(value: unknown): number | undefined {
  const seconds = typeof value === 'number' || /^\d{9,11}$/.test(String(value)) ? Number(value) : undefined
  const ms = seconds === undefined ? Date.parse(String(value)) : seconds * 1_000
  return Number.isFinite(ms) ? ms : undefined
}
