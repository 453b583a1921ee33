// Which token of a grant is the newest: a provider that rotates sends another one whenever a refresh token is used.
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { packAnswer, type StoredAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, isCarriable, tokenMember } from './token-answer.ts'
import { readTokenAnswer } from './token-reading.ts'

/** The answers that a grant consists of, the newest first. */
const answersOf = (raw: Secret, trialRefresh: Secret | undefined): StoredAnswer[] =>
  [trialRefresh, raw].flatMap((answer) => {
    const stored = answer && unpackAnswer(answer)
    return stored ? [...(stored.later ? [stored.later] : []), stored] : []
  })

const isUnread = (stored: StoredAnswer): boolean => readTokenAnswer(stored).unreadable !== undefined

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

/** The token to revoke. `isHidden`: there may be another one, in an answer that cannot be read. */
export function newestToken(raw: Secret, trialRefresh: Secret | undefined) {
  const answers = answersOf(raw, trialRefresh)
  const named = (name: string) => answers.flatMap((stored) => tokenMember(answerMembers(stored), name) ?? [])[0]
  return { token: named('refresh_token') ?? named('access_token'), isHidden: answers.some(isUnread) }
}

/**
 * What to keep when a grant in use was refreshed: the answer if it has a token, or both if the answer may have one that
 * cannot be read. Undefined if there is nothing new in it.
 */
export function refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined {
  const stored = unpackAnswer(answer)
  if (tokenMember(answerMembers(stored), 'refresh_token')) return answer
  if (!isUnread(stored)) return undefined
  if (!trialRefresh) return answer
  const { later: _, ...before } = unpackAnswer(trialRefresh)
  return isUnread(before) ? answer : packAnswer({ ...before, later: stored })
}
