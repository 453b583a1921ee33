// Clients that ask for much and read nothing, with limits of moments.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'
import { keepsUp } from '../../src/kit/http/stalled-readers.ts'
import { bodyOf, exchange } from '../support/http/raw-http.ts'

let server: HttpServer | undefined
afterEach(() => server?.close(0))

async function serve(stalledMs: number, app: RequestListener): Promise<HttpServer> {
  const refusal = () => ({ type: 'text/plain', body: '' })
  server = await listen(app, { host: '127.0.0.1', port: 0, refusal, stalledMs })
  return server
}

const request = 'GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'
const piece = Buffer.alloc(64 * 1024, 'x')

test('R10: a client that reads none of its answer is cut off, whether it is one piece or comes in many', async () => {
  for (const answer of [Buffer.alloc(32 * 1024 * 1024), Readable.from(endless())]) {
    let resolve = () => {}
    const cut = new Promise<void>((done) => {
      resolve = done
    })
    const { port } = await serve(300, (_req, res) => {
      res.once('close', resolve)
      if (answer instanceof Readable) pipeline(answer, res).catch(() => undefined)
      else res.end(answer)
    })
    const client = connect(port, '127.0.0.1').pause()
    client.on('error', () => undefined)
    await once(client, 'connect')
    client.write(request)

    await cut
    client.destroy()
    await server?.close(0)
  }
})

function* endless() {
  for (;;) yield piece
}

/** Looked at every 15 s, as the programs do with their two minutes, until it is cut or an hour is over. */
function secondsUntilCut(sentAt: (second: number) => number, waitingAt = (_second: number) => 500_000) {
  let since: Exclude<ReturnType<typeof keepsUp>, false>
  for (let second = 0; second <= 3_600; second += 15) {
    const look = { sent: sentAt(second), waiting: waitingAt(second), at: second * 1_000 }
    const next = keepsUp(since, look, 120_000)
    if (next === false) return second
    since = next
  }
  return undefined
}

test.each([
  { reader: 'reads nothing', sentAt: () => 0, cutAfter: 120 },
  { reader: 'takes a byte a second', sentAt: (second: number) => second, cutAfter: 120 },
  {
    reader: 'takes a piece of 64 kB just before its two minutes are over',
    sentAt: (second: number) => Math.floor((second + 1) / 119) * 65_536,
    cutAfter: 120,
  },
  { reader: 'reads and then stops', sentAt: (second: number) => Math.min(second, 300) * 10_000, cutAfter: 480 },
  { reader: 'reads 2 kB a second', sentAt: (second: number) => second * 2_048, cutAfter: undefined },
])('Y1: a client that $reader while its answer waits is cut off after $cutAfter s', ({ sentAt, cutAfter }) => {
  expect(secondsUntilCut(sentAt)).toBe(cutAfter)
})

test('Y1: however much waits, a client that would take hours for it is cut off', () => {
  const large = 100 * 1024 * 1024
  const takes = (bytesPerSecond: number) =>
    secondsUntilCut(
      (second) => second * bytesPerSecond,
      (second) => Math.max(0, large - second * bytesPerSecond),
    )

  expect(takes(64 * 1024)).toBe(120)
  expect(takes(128 * 1024)).toBeUndefined()
})

test('a client of a stream for whom nothing waits is not cut off, however little comes', () => {
  const nowAndThen = (second: number) => (second % 60 === 0 ? 100 : 0)

  expect(secondsUntilCut((second) => second, nowAndThen)).toBeUndefined()
})

test('Y1: a client that takes a little of one long piece, again and again, is seen to take it', async () => {
  const whole = Buffer.alloc(64 * 1024 * 1024)
  const { port } = await serve(1_000, (_req, res) => res.end(whole))
  const client = connect(port, '127.0.0.1')
  client.write(request)

  let size = 0
  for await (const chunk of client) {
    size += chunk.length
    await pause(2)
  }

  expect(size).toBeGreaterThan(whole.length)
})

test('X14: writing to an answer that is over, and not read yet, ends no program', async () => {
  let wrote = () => {}
  const hasWritten = new Promise<void>((resolve) => {
    wrote = resolve
  })
  const { port } = await serve(60_000, async (req, res) => {
    if (req.url === '/other') return res.end('still here')
    res.end(Buffer.alloc(32 * 1024 * 1024))
    await pause(50)
    res.write('more', () => wrote())
  })
  const client = connect(port, '127.0.0.1').pause()
  client.on('error', () => undefined)
  client.write(request)

  await hasWritten
  const other = await exchange(`http://127.0.0.1:${port}`, request.replace('/', '/other'))
  client.destroy()

  expect(bodyOf(other)).toBe('still here')
})

test('who waits for an answer that is long in coming is not cut off', async () => {
  const { port } = await serve(100, async (_req, res) => {
    await pause(600)
    res.end('at last')
  })

  expect(bodyOf(await exchange(`http://127.0.0.1:${port}`, request))).toBe('at last')
})

test('who reads slowly gets it all', async () => {
  const pieces = 400
  const { port } = await serve(3_000, (_req, res) => {
    pipeline(Readable.from(Array.from({ length: pieces }, () => piece)), res).catch(() => undefined)
  })
  const client = connect(port, '127.0.0.1')
  client.write(request)

  let size = 0
  for await (const chunk of client) {
    size += chunk.length
    await pause(10)
  }

  expect(size).toBeGreaterThan(pieces * piece.length)
})
