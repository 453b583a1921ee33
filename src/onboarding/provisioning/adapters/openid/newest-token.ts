// Which token of a grant is the newest: a provider that rotates sends another one whenever a refresh token is used.
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { memberAt } from '../../../../kit/token-answer/member-at.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { GrantTokens } from '../../../domain/ports/provider.ts'
import { packAnswer, type StoredAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, isCarriable, tokenMember } from './token-answer.ts'

/** The answers that a grant consists of, the newest first. */
const answersOf = (raw: Secret, trialRefresh: Secret | undefined): StoredAnswer[] =>
  [trialRefresh, raw].flatMap((answer) => {
    const stored = answer && unpackAnswer(answer)
    return stored ? [...(stored.later ? [stored.later] : []), stored] : []
  })

/** A page that stood in for the answer to a refresh replaced nothing. The code of a first answer is spent all the same. */
const isUnread = (stored: StoredAnswer, isRefresh = false): boolean => {
  const { unreadable } = readTokenAnswer(stored)
  return unreadable !== undefined && !(isRefresh && unreadable === 'page')
}

/** The newest refresh token that the platform can be given. */
export const refreshTokenOf = (raw: Secret, trialRefresh: Secret | undefined): Secret | undefined =>
  answersOf(raw, trialRefresh)
    .flatMap((stored) => tokenMember(answerMembers(stored), 'refresh_token') ?? [])
    .find(isCarriable)

/** Whether an answer that came after the newest token cannot be read, and may hold the one that replaced it. */
export const mayBeReplaced = (raw: Secret, trialRefresh: Secret | undefined): boolean => {
  const [newest] = answersOf(raw, trialRefresh)
  return newest !== undefined && isUnread(newest)
}

/** What the platform is given to act with. Undefined if the grant has nothing of the sort that its profile says. */
export function tokensOf(
  { grant }: Pick<Integration, 'grant'>,
  raw: Secret,
  trialRefresh: Secret | undefined,
): GrantTokens | undefined {
  if (grant === 'refresh') {
    const refreshToken = refreshTokenOf(raw, trialRefresh)
    return refreshToken && { refreshToken }
  }
  // The first answer of an exchange has a token for a moment alone.
  const answers =
    grant === 'exchange' ? (trialRefresh ? answersOf(trialRefresh, undefined) : []) : answersOf(raw, trialRefresh)
  const accessToken = answers
    .flatMap((stored) => tokenMember(answerMembers(stored), 'access_token') ?? [])
    .find(isCarriable)
  return accessToken && { accessToken }
}

/** The account as the first token answer names it. */
export function accountIn(raw: Secret, path: string): string | undefined {
  const value = memberAt(answerMembers(unpackAnswer(raw)), path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** The token to revoke. `isHidden`: there may be another one, in an answer that cannot be read. */
export function newestToken(raw: Secret, trialRefresh: Secret | undefined, only?: 'access_token' | 'refresh_token') {
  const answers = answersOf(raw, trialRefresh)
  const named = (name: string) => answers.flatMap((stored) => tokenMember(answerMembers(stored), name) ?? [])[0]
  const token = only ? named(only) : (named('refresh_token') ?? named('access_token'))
  return { token, isHidden: answers.some((answer) => isUnread(answer)) }
}

/**
 * What to keep when a grant in use was refreshed: the answer if it has a token, or both if the answer may have one that
 * cannot be read. Undefined if there is nothing new in it.
 */
export function refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined {
  const stored = unpackAnswer(answer)
  if (tokenMember(answerMembers(stored), 'refresh_token')) return answer
  if (!isUnread(stored, true)) return undefined
  if (!trialRefresh) return answer
  const { later: _, ...before } = unpackAnswer(trialRefresh)
  return isUnread(before) ? answer : packAnswer({ ...before, later: stored })
}
