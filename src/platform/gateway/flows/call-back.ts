import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { BackgroundWork } from '../../../kit/background-work.ts'
import { type Callback, callbackBody, callbackHeaders, callbackOf, type Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Bytes, WorkloadAnswer } from '../domain/workload.ts'

/** Sends a callback and says whether it was taken. */
export type SendCallback = (url: string, headers: Record<string, string>, body: string) => Promise<boolean>

type Needs = {
  headers: BrandedHeaders
  sendCallback: SendCallback
  background: BackgroundWork
  now: () => Date
  pause: (ms: number) => Promise<void>
}

export type AnswerLater = (triggers: readonly Trigger[], ask: (signal: AbortSignal) => Promise<WorkloadAnswer>) => void

/** Asks the workload without making the caller wait, and tells the trigger's callback what it answered. */
export const answerLater =
  (needs: Needs): AnswerLater =>
  (triggers, ask) => {
    const callback = callbackOf(triggers)
    needs.background.keep(askAndTell(needs, callback, ask)).catch(() => {})
  }

async function askAndTell(needs: Needs, callback: Callback | undefined, ask: Parameters<AnswerLater>[1]) {
  const signal = AbortSignal.timeout(callback?.timeoutMs ?? 15 * 60_000)
  const { status, text, length } = await ask(signal).then(read, failure)
  if (!callback) return
  const body = callbackBody(status, text, length, needs.now())
  for (let attempt = 1; attempt <= callback.attempts; attempt++) {
    const headers = callbackHeaders(needs.headers, callback.secret, body, needs.now())
    if (await needs.sendCallback(callback.url, headers, body)) return
    await needs.pause(Math.min(2 ** attempt * 250, 30_000))
  }
}

/** What is longer is cut; `response_length` tells. */
const largestTold = 1024 * 1024

async function read({ status, body }: WorkloadAnswer) {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body as Bytes) {
    if (length < largestTold) chunks.push(chunk)
    length += chunk.length
  }
  return { status, text: Buffer.concat(chunks).subarray(0, largestTold).toString(), length }
}

function failure(error: unknown) {
  const text = error instanceof Failure ? error.detail : 'The workload failed.'
  return { status: 502, text, length: text.length }
}
