import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'
import { nextDue } from '../../src/kit/http/stalled-readers.ts'
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

test('R10: a client that reads nothing is disconnected, whether the response is one piece or many', async () => {
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

const pieceBytes = 64 * 1_024

/** Looks every 15 s, as the programs do, until the client is cut off or an hour has passed. */
function secondsUntilCut(readAt: (second: number) => number, queuedAt = (_second: number) => 8 * pieceBytes) {
  let due: Exclude<ReturnType<typeof nextDue>, 'late'>
  for (let second = 0; second <= 3_600; second += 15) {
    const queued = queuedAt(second)
    // A piece counts as read only when all of it is.
    const read = Math.floor(readAt(second) / pieceBytes) * pieceBytes
    const next = nextDue(due, { queued, written: read + queued }, 120_000, second * 1_000)
    if (next === 'late') return second
    due = next
  }
  return undefined
}

test.each([
  { reader: 'reads nothing', readAt: () => 0, cutAfter: 525 },
  { reader: 'reads a byte a second', readAt: (second: number) => second, cutAfter: 525 },
  {
    reader: 'reads a piece of 64 kB every two minutes',
    readAt: (second: number) => Math.floor((second + 1) / 119) * pieceBytes,
    cutAfter: 525,
  },
  { reader: 'reads and then stops', readAt: (second: number) => Math.min(second, 300) * 10_000, cutAfter: 825 },
  { reader: 'reads 2 kB a second', readAt: (second: number) => second * 2_048, cutAfter: undefined },
])('Y1: a client that $reader of 512 kB is disconnected after $cutAfter s', ({ readAt, cutAfter }) => {
  expect(secondsUntilCut(readAt)).toBe(cutAfter)
})

test('Y1: a client that reads one piece of a stream in two minutes is disconnected', () => {
  expect(
    secondsUntilCut(
      () => 0,
      () => pieceBytes,
    ),
  ).toBe(120)
})

test('Y1: a client that would take hours for a large response is disconnected after 15 minutes', () => {
  const large = 1_600 * pieceBytes
  const cutAfter = (bytesPerSecond: number) =>
    secondsUntilCut(
      () => 0,
      (second) => (second * bytesPerSecond < large ? large : 0),
    )

  expect(cutAfter(64 * 1_024)).toBe(900)
  expect(cutAfter(128 * 1_024)).toBeUndefined()
})

test('keeps the client of a stream with nothing queued, however little is sent', () => {
  const nowAndThen = (second: number) => (second % 60 === 0 ? 100 : 0)

  expect(secondsUntilCut((second) => second, nowAndThen)).toBeUndefined()
})

test('Y1: a client that reads one long piece slowly gets all of it', async () => {
  const whole = Buffer.alloc(64 * 1024 * 1024)
  const { port } = await serve(3_000, (_req, res) => res.end(whole))
  const client = connect(port, '127.0.0.1')
  client.write(request)

  let size = 0
  for await (const chunk of client) {
    size += chunk.length
    await pause(4)
  }

  expect(size).toBeGreaterThan(whole.length)
})

test('X14: writing to a response that has ended and is not read yet does not end the program', async () => {
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

test('a client that waits for a slow response is not disconnected', async () => {
  const { port } = await serve(100, async (_req, res) => {
    await pause(600)
    res.end('at last')
  })

  expect(bodyOf(await exchange(`http://127.0.0.1:${port}`, request))).toBe('at last')
})

test('a client that reads a stream slowly gets all of it', async () => {
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
