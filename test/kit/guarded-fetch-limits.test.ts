// Case 52 of the attack catalogue: size and time limits of responses.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { FetchError, type GuardedFetch, guardedFetch } from '../../src/kit/fetch/guarded-fetch.ts'

const maxBytes = 10_000

let server: Server
let answer: RequestListener
let fetch: GuardedFetch
let url: string
let host: string

beforeEach(async () => {
  server = createServer((req, res) => answer(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  url = `http://${host}/`
  fetch = guardedFetch({ allow: [host], timeoutMs: 30_000, maxBytes })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await fetch.close()
})

test('a response of the max size is read whole', async () => {
  answer = (_req, res) => res.end('x'.repeat(maxBytes))

  expect((await fetch(url)).body).toHaveLength(maxBytes)
})

test.each<[string, RequestListener]>([
  ['one byte too many', (_req, res) => res.end('x'.repeat(maxBytes + 1))],
  [
    'an endless response',
    (_req, res) => {
      const flood = () => {
        while (!res.destroyed && res.write('x'.repeat(65_536)));
      }
      res.on('drain', flood)
      flood()
    },
  ],
])('%s is truncated at the max size', async (_name, listener) => {
  answer = listener

  await expect(fetch(url)).rejects.toMatchObject({ kind: 'too_large' })
})

test('the error has the part of a response that arrived, and does not print it', async () => {
  answer = (_req, res) => res.end('x'.repeat(maxBytes + 1))
  const tooLong = await fetch(url).catch((error) => error)
  answer = (_req, res) => {
    res.writeHead(200, { 'Content-Length': '100' })
    res.write('the beginning', () => res.destroy())
  }
  const brokenOff = await fetch(url).catch((error) => error)

  expect(tooLong.partial.reveal().body).toHaveLength(maxBytes)
  expect(brokenOff.partial.reveal()).toMatchObject({ status: 200, body: Buffer.from('the beginning') })
  expect(JSON.stringify({ ...brokenOff })).not.toContain('beginning')
})

test.each<[string, RequestListener]>([
  ['no response at all', () => {}],
  ['headers and nothing more', (_req, res) => void res.writeHead(200).flushHeaders()],
  [
    'a byte now and then',
    (_req, res) => {
      const dripping = setInterval(() => res.write('x'), 20)
      res.on('close', () => clearInterval(dripping))
    },
  ],
])('%s times out after the limit for the whole exchange', async (_name, listener) => {
  answer = listener
  const hurried = guardedFetch({ allow: [host], timeoutMs: 500, maxBytes })
  onTestFinished(hurried.close)

  await expect(hurried(url)).rejects.toMatchObject({ kind: 'unanswered', code: 'timeout' })
})

test('distinguishes a connection cut after the request from one never made', async () => {
  answer = (req) => req.socket.destroy()
  const cut = await fetch(url).catch((error) => error)
  server.close()
  server.closeAllConnections()

  const refused = await fetch(url).catch((error) => error)

  expect([cut, refused]).toEqual([expect.any(FetchError), expect.any(FetchError)])
  expect([cut.kind, refused.kind]).toEqual(['unanswered', 'unreachable'])
})

test('allows one port of one host, not the machine', async () => {
  answer = (_req, res) => res.end()
  const { port } = new URL(url)

  for (const other of [`http://127.0.0.1:${Number(port) - 1}/`, `http://localhost:${port}/`, `http://[::1]:${port}/`]) {
    await expect(fetch(other)).rejects.toMatchObject({ kind: 'blocked' })
  }
})
