import type { Secret } from '../../../../kit/crypto/secret.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { GrantTokens } from '../../../domain/ports/provider.ts'
import { type AccountMembers, accountMembers } from './account.ts'
import { packAnswer, type StoredAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, isCarriable, tokenMember } from './token-answer.ts'

const answersOf = (raw: Secret, trialRefresh: Secret | undefined): StoredAnswer[] =>
  [trialRefresh, raw].flatMap((answer) => {
    const stored = answer && unpackAnswer(answer)
    return stored ? [...(stored.later ? [stored.later] : []), stored] : []
  })

/** A page instead of a refresh response replaced nothing. For a first response, the code is spent. */
const isUnread = (stored: StoredAnswer, isRefresh = false): boolean => {
  const { unreadable } = readTokenAnswer(stored)
  return unreadable !== undefined && !(isRefresh && unreadable === 'page')
}

export const refreshTokenOf = (raw: Secret, trialRefresh: Secret | undefined): Secret | undefined =>
  answersOf(raw, trialRefresh)
    .flatMap((stored) => tokenMember(answerMembers(stored), 'refresh_token') ?? [])
    .find(isCarriable)

export const mayBeReplaced = (raw: Secret, trialRefresh: Secret | undefined): boolean => {
  const [newest] = answersOf(raw, trialRefresh)
  return newest !== undefined && isUnread(newest)
}

export function tokensOf(
  { grant }: Pick<Integration, 'grant'>,
  raw: Secret,
  trialRefresh: Secret | undefined,
): GrantTokens | undefined {
  if (grant === 'refresh') {
    const refreshToken = refreshTokenOf(raw, trialRefresh)
    return refreshToken && { refreshToken }
  }
  // The first access token of an exchange is short-lived.
  const answers =
    grant === 'exchange' ? (trialRefresh ? answersOf(trialRefresh, undefined) : []) : answersOf(raw, trialRefresh)
  const accessToken = answers
    .flatMap((stored) => tokenMember(answerMembers(stored), 'access_token') ?? [])
    .find(isCarriable)
  return accessToken && { accessToken }
}

export function accountIn(raw: Secret, named: AccountMembers): string | undefined {
  const { id } = accountMembers(answerMembers(unpackAnswer(raw)), named)
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

export function newestToken(raw: Secret, trialRefresh: Secret | undefined, only?: 'access_token' | 'refresh_token') {
  const answers = answersOf(raw, trialRefresh)
  const named = (name: string) => answers.flatMap((stored) => tokenMember(answerMembers(stored), name) ?? [])[0]
  const token = only ? named(only) : (named('refresh_token') ?? named('access_token'))
  return { token, isHidden: answers.some((answer) => isUnread(answer)) }
}

/** Keeps both responses if the earlier one may have an unreadable token. Undefined if nothing is new. */
export function refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined {
  const stored = unpackAnswer(answer)
  if (tokenMember(answerMembers(stored), 'refresh_token')) return answer
  if (!isUnread(stored, true)) return undefined
  if (!trialRefresh) return answer
  const { later: _, ...before } = unpackAnswer(trialRefresh)
  return isUnread(before) ? answer : packAnswer({ ...before, later: stored })
}
