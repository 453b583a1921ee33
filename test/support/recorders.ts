// Remember everything that leaves the program: each answer as it went over the wire, each line of its log.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Log } from '../../src/kit/log.ts'

export type Answered = { method: string; path: string; status: number; headers: OutgoingHttpHeaders; body: string }

export function answerRecorder() {
  const answers: Answered[] = []
  const observe = (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    // Read now: a router that is mounted somewhere changes it on the way.
    const path = new URL(req.url ?? '/', 'http://any').pathname
    const record = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    }
    const { write, end } = res
    res.write = ((...args: Parameters<typeof write>) => {
      record(args[0])
      return write.apply(res, args)
    }) as typeof write
    res.end = ((...args: Parameters<typeof end>) => {
      record(args[0])
      // Before it is sent: who waits for the answer must find it here.
      answers.push({
        method: req.method ?? '',
        path,
        status: res.statusCode,
        headers: { ...res.getHeaders() },
        body: Buffer.concat(chunks).toString(),
      })
      return end.apply(res, args)
    }) as typeof end
  }
  return { answers, observe }
}

export function logRecorder(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const at =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void lines.push(JSON.stringify({ level, message, ...fields }))
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}
