import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { answerObjects, type Members } from '../../../kit/token-answer/answer-objects.ts'
import { answerText } from '../../../kit/token-answer/answer-text.ts'
import { codeAt, memberAt } from '../../../kit/token-answer/member-at.ts'
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

const maxLifetimeSeconds = 10 * 365 * 24 * 60 * 60

// Some third parties send the lifetime as a string or as no number. The response is accepted anyway: it may contain the
// only valid refresh token.
const Lifetime = z.coerce.number().positive().max(maxLifetimeSeconds).optional().catch(undefined)

type About = { integration: Integration; connection: Connection }

export function readRefreshAnswer(answer: RefreshAnswer, { integration, connection }: About): TokenAnswer {
  const { status } = answer
  const { within, errorMember = 'error', successMember } = integration.tokenAnswer
  const reading = isSuccess(answer) ? readTokenAnswer({ ...answer, within }) : undefined
  if (reading?.unreadable) throw unread(answer, reading.unreadable)
  const members = reading?.members ?? answerObjects(answerText(answer))?.[0] ?? {}
  // RFC 6749, section 5.2 requires 400 for errors, but some third parties send 200.
  const error = codeAt(members, errorMember)
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

/** A server that answers with an HTML page has not rotated the token. */
const unread = (answer: RefreshAnswer, unreadable: Unreadable): ThirdPartyError =>
  unreadable === 'page'
    ? new ThirdPartyError(`The token endpoint answered ${answer.status} with an HTML page.`)
    : new AnswerUnread(packRefreshAnswer(answer), unreadable === 'cut_off')

function refusal(status: number, error: string | undefined, { clientErrors }: Integration): ThirdPartyError {
  const message = `The token endpoint answered ${status}${errorWord(error)}.`
  if (isAmong(clientErrors, error, status) || usualClientErrors.has(error ?? '')) return new ClientRejected(message)
  if (status < 500 && requestErrors.has(error ?? '')) return new ProfileMismatch(`${message} ${requestAdvice}`)
  return isUnexplained(status, error) ? new RefreshRefused(message) : new ThirdPartyError(message)
}

/** RFC 6749, section 5.2: the endpoint does not support this request, whatever the grant. */
const requestErrors = new Set(['unsupported_grant_type', 'invalid_request'])

const requestAdvice = 'The profile of this integration (`refresh`, `tokenRequest`) does not match its refresh endpoint.'

/** RFC 6749, section 5.2, and the equivalents of GitHub and Slack. */
const usualClientErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'bad_client_secret',
])

/** RFC 6749, section 5.2: 400 or 401 with an error code. Some third parties omit the code. */
const isUnexplained = (status: number, error: string | undefined) =>
  (status === 400 || status === 401) && error !== 'temporarily_unavailable' && error !== 'server_error'

const errorWord = (error: string | undefined) => (/^[a-z_]{3,40}$/.test(error ?? '') ? ` (${error})` : '')

function secondsUntil(members: Members, { tokenAnswer }: Integration, now: Date): number | undefined {
  const { expiresAtMember, expiresInSeconds } = tokenAnswer
  const at = expiresAtMember === undefined ? undefined : timeOf(memberAt(members, expiresAtMember))
  const seconds = at === undefined ? expiresInSeconds : (at - now.getTime()) / 1_000
  return seconds !== undefined && seconds > 0 ? Math.min(seconds, maxLifetimeSeconds) : expiresInSeconds
}

function timeOf(value: unknown): number | undefined {
  const seconds = typeof value === 'number' || /^\d{9,11}$/.test(String(value)) ? Number(value) : undefined
  const ms = seconds === undefined ? Date.parse(String(value)) : seconds * 1_000
  return Number.isFinite(ms) ? ms : undefined
}
