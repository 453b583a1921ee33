import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { describeConnection } from '../../../../kit/fetch/connection-problem.ts'
import { FetchError } from '../../../../kit/fetch/guarded-fetch.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import { errorCode, registrationCause, requestCause } from '../../../domain/callback.ts'
import type { Cause } from '../../../domain/cause.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { StoredAnswer } from './stored-answer.ts'
import { answerMembers, tokenMember } from './token-answer.ts'

export const clockToleranceSeconds = 30

type RequestFacts = {
  fetchError?: FetchError | undefined
  status?: number
  unreadable?: string
  stored?: StoredAnswer
  aheadSeconds?: number
}

/** The library's errors contain whole responses. Only the kind and an error code pass. */
export function translateError(error: unknown, seen: RequestFacts): DependencyError {
  const translated = withClocks(translationOf(error, seen), seen)
  if (!seen.stored || !isWithoutToken(seen.stored)) return translated
  const { cause, retry, detail } = translated
  return new DependencyError(cause, { retry, detail, isWithoutGrant: true })
}

/** The library's code for `exp`, `nbf` and `iat`, and ours for `iat`. */
const timeDetails: ReadonlySet<string> = new Set(['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'iat'])

/** If the app's `Date` agrees with our clock, its identity token is wrong. */
function withClocks(error: DependencyError, { aheadSeconds = 0 }: RequestFacts): DependencyError {
  const { cause, detail } = error
  const isOfTime = cause === 'identity_invalid' && timeDetails.has(detail ?? '')
  if (!isOfTime || Math.abs(aheadSeconds) <= clockToleranceSeconds) return error
  return new DependencyError('clock_wrong', { detail: `${aheadSeconds > 0 ? '+' : ''}${aheadSeconds} s` })
}

/** Some providers send errors with status 200. Responses that may contain a token are excluded. */
function isWithoutToken(stored: StoredAnswer): boolean {
  if (readTokenAnswer(stored).unreadable) return false
  const members = answerMembers(stored)
  return !tokenMember(members, 'access_token') && !tokenMember(members, 'refresh_token')
}

function translationOf(error: unknown, seen: RequestFacts): DependencyError {
  if (error instanceof DependencyError) return error
  if (seen.unreadable) return new DependencyError('answer_unreadable', { detail: seen.unreadable })
  if (seen.fetchError) return fromFetch(seen.fetchError)
  const elsewhere = fetchErrorIn(error)
  if (elsewhere) return unreached(elsewhere)
  if (seen.status === 429 || (seen.status ?? 0) >= 500)
    return new DependencyError('provider_unavailable', { retry: {}, detail: `${seen.status}` })
  if (error instanceof WWWAuthenticateChallengeError) return new DependencyError('client_rejected')
  if (error instanceof ResponseBodyError)
    return new DependencyError(fromTokenError(error.error, error.error_description), { detail: errorCode(error.error) })
  if (error instanceof AuthorizationResponseError) return new DependencyError('callback_rejected')
  const code = (error as { code?: string }).code ?? ''
  if (/^OAUTH_(JWT|KEY|JSON_ATTRIBUTE)/.test(code)) return new DependencyError('identity_invalid', { detail: code })
  return new DependencyError('answer_malformed', { detail: code })
}

function fromFetch({ kind, code }: FetchError): DependencyError {
  // Sent, but without a complete response: a grant may exist.
  if (kind === 'unanswered' || kind === 'too_large')
    return new DependencyError('exchange_unknown', { detail: wordsFor(code) || kind })
  return unreached({ kind, code })
}

export const unreached = ({ kind, code }: Pick<FetchError, 'kind' | 'code'>): DependencyError =>
  kind === 'blocked'
    ? new DependencyError('address_blocked', { detail: kind })
    : new DependencyError('provider_unavailable', { retry: {}, detail: wordsFor(code) || kind })

const wordsFor = (code: string): string => code && describeConnection(code)

export const fetchErrorIn = (error: unknown): FetchError | undefined =>
  [error, (error as { cause?: unknown } | undefined)?.cause].find((each) => each instanceof FetchError)

export const isBlocked = (error: unknown): boolean =>
  fetchErrorIn(error)?.kind === 'blocked' || (error instanceof DependencyError && error.cause === 'address_blocked')

function fromTokenError(error: string, description: string | undefined): Cause {
  if (error === 'temporarily_unavailable' || error === 'server_error') return 'provider_unavailable'
  // Unknown errors: the user can start again, and the audit has the code.
  return registrationCause(error, description) ?? requestCause(error) ?? 'code_refused'
}

/** Discovery or keys failed before a code was sent, so a retry is safe. */
export function unavailable(error: unknown): DependencyError {
  if (error instanceof DependencyError) return error
  const fetchError = fetchErrorIn(error)
  return fetchError
    ? unreached(fetchError)
    : new DependencyError('provider_unavailable', { retry: {}, detail: 'metadata' })
}
