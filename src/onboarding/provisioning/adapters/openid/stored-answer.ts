// A token answer as it came over the wire, before anybody reads it. This is what goes into escrow.
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Answer } from '../../../../kit/fetch/guarded-fetch.ts'

const ReceivedAnswer = z.strictObject({
  /** In base64, as they came: what they mean may have to be found out later. */
  bytes: z.string(),
  contentType: z.string(),
  contentEncoding: z.string(),
  /** It broke off, or was longer than we take. */
  isPartial: z.boolean(),
  nonce: z.string(),
  issuer: z.string().optional(),
  receivedAt: z.number(),
  /** The member whose token is meant, where the answer may have several; the profile may say otherwise later. */
  within: z.string().optional(),
})

const StoredAnswer = ReceivedAnswer.extend({
  /** One that came after this one and cannot be read: it may hold the token that replaced this one's. */
  later: ReceivedAnswer.optional(),
})
export type StoredAnswer = z.infer<typeof StoredAnswer>

type Request = Pick<StoredAnswer, 'nonce' | 'issuer' | 'receivedAt' | 'isPartial' | 'within'>

export const storedAnswer = ({ headers, body }: Pick<Answer, 'headers' | 'body'>, about: Request): StoredAnswer => ({
  bytes: body.toString('base64'),
  contentType: headers['content-type'] ?? '',
  contentEncoding: headers['content-encoding'] ?? '',
  ...about,
})

export const packAnswer = (answer: StoredAnswer): Secret => new Secret(JSON.stringify(answer))

export const unpackAnswer = (raw: Secret): StoredAnswer => StoredAnswer.parse(JSON.parse(raw.reveal()))
