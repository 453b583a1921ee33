// Records all output of the program: responses, log lines, and outgoing connections.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../../src/kit/process/log.ts'

export type RecordedAnswer = {
  method: string
  path: string
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

export function answerRecorder() {
  const answers: RecordedAnswer[] = []
  const observe = (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    // Read now, because a mounted router changes it.
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
      // Recorded before sending, so that the caller finds it.
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

export function logRecorder(): { log: Log<string>; lines: string[] } {
  const lines: string[] = []
  return { lines, log: (event, fields) => void lines.push(JSON.stringify({ event, ...fields })) }
}

/** A server that counts connections. */
export async function connectionRecorder() {
  let count = 0
  const server = createServer((_req, res) => void res.end('{"keys":[]}')).on('connection', () => count++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => count,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}
