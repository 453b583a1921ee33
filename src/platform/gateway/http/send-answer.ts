import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
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
  else passOn(Readable.from(body, { objectMode: false }), res)
  // Callers see at once that a long response has begun.
  if (!res.writableEnded) res.flushHeaders()
}

/** `pipeline` creates and aborts a controller per response, which is measurable at this rate. */
function passOn(body: Readable, res: ServerResponse): void {
  body.on('error', () => res.destroy())
  res.once('close', () => body.destroy())
  body.pipe(res)
}
