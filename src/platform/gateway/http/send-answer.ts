import { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { WorkloadAnswer } from '../domain/workload.ts'
import { answeredHeaders } from './proxy-headers.ts'

/** Aborted when the caller hangs up before the answer is whole. */
export function whileConnected(res: Response): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => res.writableFinished || gone.abort())
  return gone.signal
}

/** Passes an answer on as it comes and no faster than the caller reads; one that breaks off breaks off here too. */
export async function sendAnswer(req: Request, res: Response, answer: WorkloadAnswer, headers: BrandedHeaders) {
  res.status(answer.status)
  for (const [name, value] of Object.entries(answeredHeaders(answer.headers, headers))) res.setHeader(name, value)
  res.flushHeaders()
  const body = answer.body instanceof Readable ? answer.body : Readable.from(answer.body, { objectMode: false })
  if (req.method === 'HEAD') {
    body.destroy()
    return void res.end()
  }
  await passOn(body, res)
}

/** By hand: the library's pipeline makes and aborts a controller for every answer, which shows at this rate. */
function passOn(body: Readable, res: Response): Promise<void> {
  return new Promise((done) => {
    body.on('error', () => res.destroy())
    res.once('close', () => {
      body.destroy()
      done()
    })
    body.pipe(res)
  })
}
