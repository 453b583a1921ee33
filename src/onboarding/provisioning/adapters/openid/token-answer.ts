// What the library and we take from a token answer that was stored.
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Members } from '../../../../kit/token-answer/answer-objects.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import type { Profile } from '../../../domain/integration.ts'
import { readAnswer } from './read-answer.ts'
import type { StoredAnswer } from './stored-answer.ts'
import { standardError } from './token-wire.ts'

/** What is found in an answer that the library may refuse; nothing where it cannot be read. */
export function answerMembers(stored: StoredAnswer): Members {
  const reading = readTokenAnswer(stored)
  return reading.unreadable ? {} : reading.members
}

/** Printable ASCII of a sane length: anything else is no token and must not reach the platform's JSON. */
const tokenPattern = /^[\x21-\x7e]{1,4096}$/

export const isCarriable = (token: Secret): boolean => tokenPattern.test(token.reveal())

/** A token of any shape: one that we cannot use can still be revoked. Empty, null or a number is no token. */
export function tokenMember(members: Record<string, unknown>, name: string): Secret | undefined {
  const value = members[name]
  return typeof value === 'string' && value !== '' ? new Secret(value) : undefined
}

/**
 * The answer as RFC 6749 would have it, for the library to judge. What we do not use is no reason to refuse a grant: how
 * long an access token lasts, or a type that was left out, which every provider of ours means to be "bearer".
 */
export function standardAnswer(
  members: Members,
  profile: Pick<Profile, 'tokenAnswer' | 'brokenGrantErrors' | 'clientErrors'>,
): Response {
  const { tokenAnswer } = profile
  const translated = standardError(members, 200, profile)
  const failed = tokenAnswer.successMember !== undefined && members[tokenAnswer.successMember] === false
  // GitHub and Slack report errors with a status of 200.
  const isError =
    failed || ((translated !== undefined || typeof members.error === 'string') && members.access_token === undefined)
  if (isError) return Response.json({ error: translated ?? String(members.error ?? 'unnamed_error') }, { status: 400 })
  const { expires_in: expiresIn, token_type: type, refresh_token: _token, ...others } = members
  return readAnswer({
    ...others,
    scope: Array.isArray(members.scope) ? members.scope.join(' ') : members.scope,
    token_type: tokenAnswer.anyTokenType ? 'bearer' : (type ?? 'bearer'),
    ...(Number(expiresIn) >= 0 && { expires_in: expiresIn }),
    // The library refuses the whole answer for a refresh token that is null; it only means that there is none.
    ...(tokenMember(members, 'refresh_token') && { refresh_token: members.refresh_token }),
  })
}
