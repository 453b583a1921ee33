import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Gone, Headers, WorkloadAnswer } from '../domain/workload.ts'

/** Fires when the caller hangs up before the answer is whole. */
export const whileConnected = (res: ServerResponse): Gone => ({
  get aborted() {
    return res.closed && !res.writableFinished
  },
  addEventListener(_, listener) {
    res.once('close', () => res.writableFinished || listener())
  },
})

/** Passes an answer on as it comes and no faster than the caller reads; one that breaks off breaks off here too. */
export function sendAnswer(res: ServerResponse, { status, body }: WorkloadAnswer, headers: Headers): void {
  res.writeHead(status, headers)
  if ('passTo' in body) body.passTo(res)
  else passOn(Readable.from(body, { objectMode: false }), res)
  // Whoever waits for the first piece of a long answer learns at once that it is coming.
  if (!res.writableEnded) res.flushHeaders()
}

/** By hand: the library's pipeline makes and aborts a controller for every answer, which shows at this rate. */
function passOn(body: Readable, res: ServerResponse): void {
  body.on('error', () => res.destroy())
  res.once('close', () => body.destroy())
  body.pipe(res)
}
