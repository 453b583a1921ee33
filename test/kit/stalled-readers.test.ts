// Clients that ask for much and read nothing, with limits of moments.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'
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
