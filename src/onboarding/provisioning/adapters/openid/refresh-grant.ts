// Uses a refresh token once. The response may contain the only valid token, so it is stored before it is parsed.
import * as openid from 'openid-client'
import type { Secret } from '../../../../kit/crypto/secret.ts'
import type { FetchErrorKind, GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { isClientCause } from '../../../domain/doctor/signals.ts'
import { type RefreshRefusal, RefreshRefused, refusalByStatus } from '../../../domain/health/refresh-refusal.ts'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'
import type { Provider, RefreshOutcome, RefreshRequest } from '../../../domain/ports/provider.ts'
import { exchangeToken } from './exchange-token.ts'
import { mayBeReplaced, refreshToKeep, refreshTokenOf, tokensOf } from './newest-token.ts'
import { type StoredAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, tokenMember } from './token-answer.ts'
import { keepingFetch, type RequestTrace } from './token-fetch.ts'
import { translateError } from './translate-error.ts'

type Needs = {
  fetch: GuardedFetch
  now(): Date
  configure(integration: Integration, client: OAuthClient): Promise<openid.Configuration>
}

type Refresher = Pick<Provider, 'refresh' | 'rereadRefresh' | 'tokensOf' | 'refreshToKeep'>

export const grantRefresher = ({ fetch, now, configure }: Needs): Refresher => {
  const exchanged = async (request: RefreshRequest): Promise<RefreshOutcome> => {
    const tokenEndpoint = (await configure(request.integration, request.client)).serverMetadata().token_endpoint ?? ''
    const { stored } = await exchangeToken({ fetch, now, tokenEndpoint }, request)
    return readRefreshed(undefined, stored as StoredAnswer)
  }
  return {
    async refresh(request) {
      const { integration, client, raw, trialRefresh, keep, note } = request
      if (integration.grant === 'exchange') return exchanged(request)
      const sent = refreshTokenOf(raw, trialRefresh)
      if (!sent) throw new DependencyError('grant_revoked', { detail: 'no refresh token' })
      // RFC 9700 §4.14.2: reusing a rotated refresh token may end the whole grant.
      if (integration.rotation !== 'none' && mayBeReplaced(raw, trialRefresh)) {
        throw new DependencyError('answer_unreadable', { detail: 'refresh' })
      }
      const configuration = await configure(integration, client)
      const seen: RequestTrace = {}
      configuration[openid.customFetch] = keepingFetch(
        fetch,
        { integration, nonce: '', issuer: undefined, keep, note, call: 'refresh' },
        seen,
        now,
      )
      try {
        await openid.refreshTokenGrant(configuration, sent.reveal())
        return readRefreshed(sent, seen.stored as StoredAnswer)
      } catch (error) {
        if (seen.storeError) throw seen.storeError
        throw refused(error, seen)
      }
    },
    async rereadRefresh({ raw }, trialRefresh) {
      return readRefreshed(refreshTokenOf(raw, undefined), unpackAnswer(trialRefresh))
    },
    tokensOf,
    refreshToKeep,
  }
}

/** RFC 6749 §5.2. Other responses are judged by their status. */
function refused(error: unknown, seen: RequestTrace): DependencyError {
  const translated = translateError(error, seen)
  const refusal = refusalOf(error, translated, seen)
  const { retry, detail } = translated
  if (seen.unreadable === 'page') return new RefreshRefused(refusal, { cause: 'answer_malformed', retry, detail })
  if (refusal === 'grant_rejected') return new RefreshRefused(refusal, { cause: 'grant_revoked', retry, detail })
  // The platform reports the same cause. `brokenGrantErrors` lists codes that mean a dead grant.
  if (refusal === 'request_rejected') return new RefreshRefused(refusal, { cause: 'profile_mismatch', retry, detail })
  const status = String(seen.status ?? '')
  const isUnexplained = translated.cause === 'answer_malformed' && refusal !== 'unreadable_success'
  if (isUnexplained || refusal === 'unexplained')
    return new RefreshRefused(refusal, { cause: 'refresh_refused', retry: undefined, detail: status })
  return new RefreshRefused(refusal, { ...translated, cause: translated.cause, detail: detail || status })
}

function refusalOf(error: unknown, { cause }: DependencyError, { fetchError, status = 0 }: RequestTrace) {
  if (fetchError) return silences[fetchError.kind]
  if (cause === 'code_refused') return 'grant_rejected'
  if (cause === 'request_rejected') return 'request_rejected'
  if (cause === 'provider_unavailable') return status === 429 ? 'throttled' : 'server_error'
  if (error instanceof openid.WWWAuthenticateChallengeError)
    return challenged(error) ? 'client_rejected' : 'unexplained'
  return isClientCause(cause) ? 'client_rejected' : refusalByStatus(status)
}

const silences = {
  blocked: 'blocked',
  unreachable: 'unreachable',
  unanswered: 'unanswered',
  too_large: 'unanswered',
} as const satisfies Record<FetchErrorKind, RefreshRefusal>

/** A rejected client gets a challenge with its own scheme. Other challenges are not about the client. */
const challenged = ({ cause }: openid.WWWAuthenticateChallengeError): boolean =>
  cause.some(({ scheme }) => scheme === 'basic')

function readRefreshed(sent: Secret | undefined, stored: StoredAnswer): RefreshOutcome {
  const { unreadable } = readTokenAnswer(stored)
  if (unreadable) throw new DependencyError('answer_unreadable', { detail: unreadable })
  const members = answerMembers(stored)
  if (!tokenMember(members, 'access_token')) throw new DependencyError('answer_malformed', { detail: 'access_token' })
  const next = tokenMember(members, 'refresh_token')
  return { rotated: next !== undefined && next.reveal() !== sent?.reveal() }
}
