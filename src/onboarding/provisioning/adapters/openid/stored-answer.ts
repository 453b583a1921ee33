import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { Answer } from '../../../../kit/fetch/guarded-fetch.ts'

const ReceivedAnswer = z.strictObject({
  /** Base64 of the raw bytes, which may have to be decoded later. */
  bytes: z.string(),
  contentType: z.string(),
  contentEncoding: z.string(),
  isPartial: z.boolean(),
  /** The status was an error. The token in it is only for the revocation. */
  isRefusal: z.boolean().optional(),
  nonce: z.string(),
  issuer: z.string().optional(),
  receivedAt: z.number(),
  /** The member with the token, if the response has several. A later profile may differ. */
  within: z.string().optional(),
})

const StoredAnswer = ReceivedAnswer.extend({
  later: ReceivedAnswer.optional(),
})
export type StoredAnswer = z.infer<typeof StoredAnswer>

type Request = Pick<StoredAnswer, 'nonce' | 'issuer' | 'receivedAt' | 'isPartial' | 'isRefusal' | 'within'>

export const storedAnswer = ({ headers, body }: Pick<Answer, 'headers' | 'body'>, about: Request): StoredAnswer => ({
  bytes: body.toString('base64'),
  contentType: headers['content-type'] ?? '',
  contentEncoding: headers['content-encoding'] ?? '',
  ...about,
})

export const packAnswer = (answer: StoredAnswer): Secret => new Secret(JSON.stringify(answer))

export const unpackAnswer = (raw: Secret): StoredAnswer => StoredAnswer.parse(JSON.parse(raw.reveal()))
