import type { ServerResponse } from 'node:http'
import { sendStream } from '../../../kit/streams/send-stream.ts'
import type { Gone, Headers, WorkloadAnswer } from '../domain/workload.ts'

export const whileConnected = (res: ServerResponse): Gone => ({
  get aborted() {
    return res.closed && !res.writableFinished
  },
  addEventListener(_, listener) {
    res.once('close', () => res.writableFinished || listener())
  },
})

export function sendAnswer(res: ServerResponse, { status, body }: WorkloadAnswer, headers: Headers): void {
  res.writeHead(status, headers)
  if ('passTo' in body) body.passTo(res)
  else sendStream(res, body)
  // Callers see at once that a long response has begun.
  if (!res.writableEnded) res.flushHeaders()
}
