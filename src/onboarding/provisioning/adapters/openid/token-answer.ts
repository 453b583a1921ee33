// A token answer as it came over the wire, before anybody reads it. This is what goes into escrow.
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Profile } from '../../../domain/integration.ts'
import { readAnswer } from './read-answer.ts'

const StoredAnswer = z.strictObject({
  body: z.string(),
  contentType: z.string(),
  nonce: z.string(),
  issuer: z.string().optional(),
  receivedAt: z.number(),
})
export type StoredAnswer = z.infer<typeof StoredAnswer>

export const packAnswer = (answer: StoredAnswer): Secret => new Secret(JSON.stringify(answer))

export const unpackAnswer = (raw: Secret): StoredAnswer => StoredAnswer.parse(JSON.parse(raw.reveal()))

/** Finds the members of an answer that the library may refuse: custody does not depend on good manners. */
export function answerMembers({ body }: Pick<StoredAnswer, 'body'>): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body)
    const candidate = Array.isArray(parsed) ? parsed[0] : parsed
    return typeof candidate === 'object' && candidate !== null ? (candidate as Record<string, unknown>) : {}
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

/** An answer that speaks of a token we cannot find: it must not be thrown away as if it had none. */
export const hidesToken = ({ body }: Pick<StoredAnswer, 'body'>): boolean => /refresh_token|access_token/.test(body)

/** Printable ASCII of a sane length: anything else is no token and must not reach the platform's JSON. */
const tokenPattern = /^[\x21-\x7e]{1,4096}$/

export const isCarriable = (token: Secret): boolean => tokenPattern.test(token.reveal())

/** A token of any shape: one that we cannot use can still be revoked. Empty, null or a number is no token. */
export function tokenMember(members: Record<string, unknown>, name: string): Secret | undefined {
  const value = members[name]
  return typeof value === 'string' && value !== '' ? new Secret(value) : undefined
}

/** Reads `a.b.c`; profiles name members of answers that way. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
  }, value)
}

/** The answer as RFC 6749 would have it, for the library to judge. Only what the profile says is changed. */
export function standardAnswer(stored: StoredAnswer, { tokenAnswer }: Pick<Profile, 'tokenAnswer'>): Response {
  const members = answerMembers(stored)
  const failed = tokenAnswer.successMember !== undefined && members[tokenAnswer.successMember] === false
  // GitHub and Slack report errors with a status of 200.
  const isError = failed || (typeof members.error === 'string' && members.access_token === undefined)
  if (isError) return Response.json({ error: String(members.error ?? 'invalid_request') }, { status: 400 })
  if (tokenAnswer.anyTokenType) return readAnswer(JSON.stringify({ ...members, token_type: 'bearer' }))
  // The library refuses the whole answer for a refresh token that is null; it only means that there is none.
  if ('refresh_token' in members && !tokenMember(members, 'refresh_token')) {
    return readAnswer(JSON.stringify({ ...members, refresh_token: undefined }))
  }
  return readAnswer(stored.body, stored.contentType)
}
