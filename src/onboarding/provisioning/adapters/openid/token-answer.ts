import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Members } from '../../../../kit/token-answer/answer-objects.ts'
import { readTokenAnswer } from '../../../../kit/token-answer/token-reading.ts'
import type { Profile } from '../../../domain/integration.ts'
import type { StoredAnswer } from './stored-answer.ts'
import { standardError } from './token-wire.ts'

export function answerMembers(stored: StoredAnswer): Members {
  const reading = readTokenAnswer(stored)
  return reading.unreadable ? {} : reading.members
}

/** Printable ASCII with a max length. Anything else must not reach the platform. */
const tokenPattern = /^[\x21-\x7e]{1,4096}$/

export const isCarriable = (token: Secret): boolean => tokenPattern.test(token.reveal())

export function tokenMember(members: Record<string, unknown>, name: string): Secret | undefined {
  const value = members[name]
  return typeof value === 'string' && value !== '' ? new Secret(value) : undefined
}

/** Members that are not used do not invalidate a grant. A missing `token_type` means "bearer". */
export function standardAnswer(
  members: Members,
  profile: Pick<Profile, 'tokenAnswer' | 'brokenGrantErrors' | 'clientErrors'>,
): Response {
  const { tokenAnswer } = profile
  const translated = standardError(members, 200, profile)
  const failed = tokenAnswer.successMember !== undefined && members[tokenAnswer.successMember] === false
  // GitHub and Slack send errors with status 200.
  const isError =
    failed || ((translated !== undefined || typeof members.error === 'string') && members.access_token === undefined)
  if (isError) return Response.json({ error: translated ?? String(members.error ?? 'unnamed_error') }, { status: 400 })
  const { expires_in: expiresIn, token_type: type, refresh_token: _token, ...others } = members
  return readAnswer({
    ...others,
    scope: Array.isArray(members.scope) ? members.scope.join(' ') : members.scope,
    token_type: tokenAnswer.anyTokenType ? 'bearer' : (type ?? 'bearer'),
    ...(Number(expiresIn) >= 0 && { expires_in: expiresIn }),
    // The library rejects a null refresh token, which means the same as a missing one.
    ...(tokenMember(members, 'refresh_token') && { refresh_token: members.refresh_token }),
  })
}

class ReadAnswer {
  readonly status = 200
  bodyUsed = false
  readonly #body: Members

  constructor(body: Members) {
    this.#body = body
  }

  readonly headers = {
    get: (name: string): string | null => (name.toLowerCase() === 'content-type' ? 'application/json' : null),
  }

  async json(): Promise<unknown> {
    this.bodyUsed = true
    return this.#body
  }

  get [Symbol.toStringTag]() {
    return 'Response'
  }
}

const readAnswer = (body: Members): Response => new ReadAnswer(body) as unknown as Response
