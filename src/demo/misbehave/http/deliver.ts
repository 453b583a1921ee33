import { createGzip } from 'node:zlib'
import type { Response } from 'express'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Switches } from '../domain/switch-table.ts'
import type { Manner } from '../domain/switches.ts'

type Answer = { status?: number; headers?: Record<string, string>; body: string | Buffer; type: string }

export function deliver(res: Response, answer: Answer, manner: Manner, switches: Switches): void {
  if (switches.clock_skew > 0) res.set('Date', new Date(Date.now() - switches.clock_skew * 1_000).toUTCString())
  ways[manner](res, answer, switches)
}

type Way = (res: Response, answer: Answer, switches: Switches) => void

const send = (res: Response, { status = 200, headers = {}, body, type }: Answer): void => {
  // Bypasses Express, which would correct the response.
  res.status(status).set(headers).setHeader('Content-Type', type)
  res.end(body)
}

const page =
  (status: number, title: string): Way =>
  (res) =>
    send(res, { status, type: 'text/html; charset=utf-8', body: `<!doctype html><h1>${title}</h1>` })

const refusal =
  (status: number, error: string, headers: Record<string, string> = {}): Way =>
  (res) =>
    send(res, { status, headers, type: 'application/json', body: JSON.stringify({ error }) })

const begin = (res: Response, { status = 200, headers = {}, type }: Answer, more: Record<string, string> = {}) =>
  res.writeHead(status, { ...headers, 'Content-Type': type, ...more })

const ways: Record<Manner, Way> = {
  good: send,
  html: page(200, 'Welcome'),
  html_error: page(400, 'Something went wrong'),
  empty: (res, answer) => send(res, { ...answer, body: '' }),
  not_json: (res, answer) => send(res, { ...answer, body: '{"access_token": oops' }),
  redirect: (res) => send(res, { status: 307, headers: { Location: '/' }, type: 'text/plain', body: '' }),
  slow(res, answer, switches) {
    const timer = setTimeout(() => send(res, answer), switches.slow_seconds * 1_000)
    res.on('close', () => clearTimeout(timer))
  },
  /** Sends single bytes, so that a timeout between bytes never fires. */
  drip(res, answer) {
    begin(res, answer)
    const left = [...Buffer.from(answer.body)]
    const timer = setInterval(() => {
      const byte = left.shift()
      if (byte === undefined) return void res.end()
      res.write(Buffer.from([byte]))
    }, 250)
    res.on('close', () => clearInterval(timer))
  },
  hang: () => {},
  headers_only: (res, answer) => void begin(res, answer).flushHeaders(),
  cut(res, answer) {
    const bytes = Buffer.from(answer.body)
    begin(res, answer, { 'Content-Length': String(bytes.length) })
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => res.destroy())
  },
  reset(res, answer) {
    begin(res, answer).flushHeaders()
    setImmediate(() => res.socket?.resetAndDestroy())
  },
  huge(res, answer, { huge_bytes: bytes }) {
    begin(res, answer)
    pour(res, bytes)
  },
  gzip_bomb(res, answer, { huge_bytes: bytes }) {
    begin(res, answer, { 'Content-Encoding': 'gzip' })
    const gzip = createGzip({ level: 9 })
    gzip.pipe(res)
    res.on('close', () => gzip.destroy())
    pour(gzip, bytes)
  },
  throttled: refusal(429, 'slow_down', { 'Retry-After': '1' }),
  server_error: refusal(500, 'server_error'),
  out_of_service: page(503, 'Back soon'),
}

const piece = Buffer.alloc(64 * 1024, ' ')

/** JSON may begin with spaces, so a parser sees no error until memory runs out. */
function pour(target: NodeJS.WritableStream & { destroyed?: boolean }, bytes: number): void {
  let left = bytes
  const more = () => {
    while (left > 0 && !target.destroyed) {
      left -= piece.length
      if (!target.write(piece)) return
    }
    if (!target.destroyed) target.end()
  }
  target.on('drain', () => left > 0 && more())
  target.on('error', ignoreError('a caller that hangs up is what this is for'))
  more()
}

export function jsonAnswer(status: number, value: unknown, format: Switches['answer_format'] = 'json'): Answer {
  const text = JSON.stringify(value)
  return {
    json: { status, body: text, type: 'application/json' },
    text: { status, body: text, type: 'text/plain' },
    form: { status, body: formOf(value), type: 'application/x-www-form-urlencoded' },
    utf16: { status, body: Buffer.from(text, 'utf16le'), type: 'application/json; charset=utf-16' },
    bom: { status, body: `\uFEFF${text}`, type: 'application/json' },
  }[format]
}

const formOf = (value: unknown): string =>
  new URLSearchParams(
    Object.entries(value as object).flatMap(([name, each]) =>
      each === undefined ? [] : [[name, String(each)] as [string, string]],
    ),
  ).toString()
