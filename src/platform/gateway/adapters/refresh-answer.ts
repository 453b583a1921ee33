// A refresh response may hold the only valid refresh token, so a partial one is returned as well.
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { FetchError } from '../../../kit/fetch/guarded-fetch.ts'
import { type AnswerHeaders, type WholeAnswer, wholeAnswer } from '../../../kit/fetch/whole-answer.ts'
import { AddressBlocked, ThirdPartyError } from '../domain/connection.ts'

const RefreshAnswer = z.strictObject({
  status: z.int(),
  bytes: z.string(),
  contentType: z.string(),
  contentEncoding: z.string(),
  isPartial: z.boolean(),
  receivedAt: z.number(),
})
export type RefreshAnswer = z.infer<typeof RefreshAnswer>

export const packRefreshAnswer = (answer: RefreshAnswer): Secret => new Secret(JSON.stringify(answer))

export const unpackRefreshAnswer = (packed: Secret): RefreshAnswer => RefreshAnswer.parse(JSON.parse(packed.reveal()))

const maxAnswerBytes = 64 * 1024

type Message = { url: URL; headers: Record<string, string>; body: string }

export async function sendRefresh(
  dispatcher: Dispatcher,
  { url, headers, body }: Message,
  ms: number,
): Promise<RefreshAnswer> {
  const late = () => new ThirdPartyError(`${url.host} did not answer in time.`)
  const limit = { ms, reason: late, unsent: late }
  const size = {
    bytes: maxAnswerBytes,
    reason: () => new ThirdPartyError(`${url.host} sent a response that is too large.`),
  }
  let partial: WholeAnswer | undefined
  const onPartial = (answer: WholeAnswer) => {
    partial = answer
  }
  const path = url.pathname + url.search
  const call = { origin: url.origin, path, method: 'POST' as const, headers, body, limit, size, onPartial }
  try {
    return received(await wholeAnswer(dispatcher, call), false)
  } catch (error) {
    if (partial && isSuccess(partial) && partial.body.toString('latin1').trim() !== '') return received(partial, true)
    if (isBlocked(error)) throw new AddressBlocked(url.host)
    throw error instanceof ThirdPartyError ? error : new ThirdPartyError(`${url.host} did not answer.`)
  }
}

const isBlocked = (error: unknown): boolean =>
  [error, (error as { cause?: unknown } | undefined)?.cause].some(
    (each) => each instanceof FetchError && each.kind === 'blocked',
  )

export const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status <= 299

const received = ({ status, headers, body }: WholeAnswer, isPartial: boolean): RefreshAnswer => ({
  status,
  bytes: body.toString('base64'),
  contentType: header(headers, 'content-type'),
  contentEncoding: header(headers, 'content-encoding'),
  isPartial,
  receivedAt: Date.now(),
})

const header = (headers: AnswerHeaders, name: string): string => String(headers[name] ?? '')
