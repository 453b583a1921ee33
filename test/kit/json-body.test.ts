import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { readJson, UnusableBody } from '../../src/kit/http/json-body.ts'
import { exchange, statusOf } from '../support/http/raw-http.ts'

const server = createServer(async (req, res) => {
  const [status, body] = await readJson(req, 1_000).then(
    (read) => [200, read] as const,
    (error) => [error instanceof UnusableBody ? error.status : 500, null] as const,
  )
  res.writeHead(status).end(JSON.stringify(body ?? null))
})
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => server.close())

const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(address, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  return [answer.status, await answer.json()]
}

test.each<[string, unknown]>([
  ['{"a":"ü€😀"}', { a: 'ü€😀' }],
  ['[1,2]', [1, 2]],
  [' {} ', {}],
])('%s is read', async (body, expected) => {
  expect(await post(body)).toEqual([200, expected])
})

test.each(['{', 'true', '"text"', '12', 'null', '{"a":1}}', '\u0000'])('%j gets a 400', async (body) => {
  expect((await post(body))[0]).toBe(400)
})

test('an empty body is undefined', async () => {
  expect(await post('')).toEqual([200, null])
})

test('a body above the limit gets a 413, with or without Content-Length', async () => {
  const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`
  const chunked = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`

  expect((await post(JSON.stringify('x'.repeat(1_000))))[0]).toBe(413)
  expect(statusOf(await exchange(address, chunked))).toBe(413)
})

test.each<[string, string | Buffer, Record<string, string>]>([
  ['a compressed body', gzipSync('{}'), { 'content-encoding': 'gzip' }],
  ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }],
])('%s gets a 415', async (_, body, headers) => {
  expect((await post(body, headers))[0]).toBe(415)
})

test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"'])('%s is accepted', async (type) => {
  expect((await post('{}', { 'content-type': type }))[0]).toBe(200)
})
