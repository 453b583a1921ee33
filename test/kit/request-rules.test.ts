// Raw HTTP, because no client would send most of it.
import type { IncomingMessage } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { exactApp, exactRouter } from '../../src/kit/http/exact-routing.ts'
import { listen } from '../../src/kit/http/http-server.ts'
import { ownHosts } from '../../src/kit/http/own-hosts.ts'
import { requestDefects } from '../../src/kit/http/request-rules.ts'
import { exchange, statusOf } from '../support/http/raw-http.ts'

const exposed: string[] = []
const key = `tst_${'k'.repeat(43)}`

const defectOf = requestDefects({
  isOurHost: ownHosts({ addresses: ['https://connect.example:8443'], names: ['inner', '.below.example'] }),
  probes: ['/healthz'],
  singular: ['x-service-workspace'],
  isPassedOn: ({ url = '' }) => url.startsWith('/workloads/'),
  keys: { prefix: 'tst_', exposed: (found) => exposed.push(found.reveal()) },
})
const routes = exactRouter().all(['/things/:id', '/workloads/*rest', '/healthz'], (req, res) => {
  req.resume().once('end', () => res.send('served'))
})
const server = await listen(exactApp([]).use(routes), { host: '127.0.0.1', port: 0, defectOf })
const address = `http://127.0.0.1:${server.port}`
afterAll(() => server.close(0))

const host = 'Host: connect.example'

const ask = async (target: string, headers: string[] = [host], { method = 'GET', version = '1.1', body = '' } = {}) =>
  statusOf(
    await exchange(
      address,
      `${method} ${target} HTTP/${version}\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n${body}`,
    ),
  )

const post = (headers: string[], body: string, version = '1.1') =>
  ask('/things/1', [host, ...headers], { method: 'POST', version, body })

test.each([
  ['the host of its URL', [host]],
  ['the same with any port, in any case', ['Host: CONNECT.example:3000']],
  ['a listed name', ['Host: inner:3000']],
  ['a name below a listed domain', ['Host: a.b.below.example']],
  ['localhost, from a local client', ['Host: 127.0.0.1:1']],
  [
    'lists on several lines',
    [host, 'Accept: a/b', 'Accept: c/d', 'X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: ::1'],
  ],
])('S15: %s is served', async (_, headers) => {
  expect(await ask('/things/1', headers)).toBe(200)
})

test.each([
  ['another host', 421, ['Host: evil.example']],
  ['a name with the same ending', 421, ['Host: evilconnect.example']],
  ['the domain itself, if only names below it are listed', 421, ['Host: below.example']],
  ['a network address', 421, ['Host: 192.0.2.7:3000']],
  ['an invalid host', 400, ['Host: connect.example/x']],
  ['a host with a user', 400, ['Host: evil@connect.example']],
  ['no host at all', 400, ['Host:']],
  ['two hosts', 400, [host, 'Host: evil.example']],
  ['the same host twice', 400, [host, host]],
  ['two credentials', 400, [host, 'Authorization: Bearer a', 'authorization: Bearer b']],
  ['two types', 400, [host, 'Content-Type: application/json', 'Content-Type: text/plain']],
  ['two lines of cookies', 400, [host, 'Cookie: a=b', 'Cookie: c=d']],
  ['two idempotency keys', 400, [host, 'Idempotency-Key: a', 'Idempotency-Key: b']],
  ['two headers of the program', 400, [host, 'X-Service-Workspace: a', 'X-Service-Workspace: b']],
])('S15: %s returns %i', async (_, status, headers) => {
  expect(await ask('/things/1', headers)).toBe(status)
})

test.each([
  ['another host with the ending of a listed name', 400, ['Host: evil.example#.below.example']],
  ['a domain in the notation of the setting', 421, ['Host: .below.example']],
  [
    'two credentials after more headers than Node reads by default',
    400,
    [host, ...Array.from({ length: 2_200 }, () => 'a:'), 'Authorization: Bearer a', 'Authorization: Bearer b'],
  ],
])('A4: %s returns %i', async (_, status, headers) => {
  expect(await ask('/things/1', headers)).toBe(status)
})

test('S15: probes can name any host, or none in HTTP/1.0', async () => {
  expect(await ask('/healthz', ['Host: 192.0.2.7'])).toBe(200)
  expect(await ask('/healthz', ['X: y'], { version: '1.0' })).toBe(200)
  expect(await ask('/things/1', ['X: y'], { version: '1.0' })).toBe(400)
})

test.each([
  ['http://connect.example/things/1', 400],
  ['http://evil.example/things/1', 400],
  ['*', 400],
  ['//things/1', 400],
  ['/things//1', 400],
  ['/./things/1', 400],
  ['/things/x/../1', 400],
  ['/things/x/..', 400],
  ['/things/%31', 400],
  ['/things/a%2Fb', 400],
  ['/things/a%2e', 400],
  ['/%74hings/1', 400],
  ['/things\\1', 400],
  ['/Things/1', 404],
  ['/things/1/', 404],
  ['/things/1?a=%31//', 200],
  ['/things/a%40b', 200],
  ['/workloads/a//b/%31/', 200],
])('S15: %s returns %i', async (target, status) => {
  expect(await ask(target)).toBe(status)
})

test.each([
  ['charset=utf-7', 415],
  ['charset=utf-16le', 415],
  ['charset=latin1', 415],
  ['charset=utf-8; charset=utf-7', 415],
  ['charset = utf-7', 415],
  ['charset="utf-8', 415],
  ['charset=UTF-8', 200],
  ['charset="utf-8"', 200],
  ['boundary=x', 200],
])('S15: a body with %s returns %i', async (parameter, status) => {
  expect(await post([`Content-Type: application/json; ${parameter}`, 'Content-Length: 2'], '{}')).toBe(status)
})

test.each([
  ['an unsupported coding', ['Transfer-Encoding: gzip, chunked']],
  ['two codings in two lines', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
  ['a coding and a length', ['Transfer-Encoding: chunked', 'Content-Length: 2']],
  ['the same length twice', ['Content-Length: 2', 'Content-Length: 2']],
])('S15: a body with %s returns 400', async (_, headers) => {
  expect(await post(headers, '2\r\n{}\r\n0\r\n\r\n')).toBe(400)
})

test('S15: chunked bodies need HTTP/1.1', async () => {
  expect(await post(['Transfer-Encoding: Chunked'], '2\r\n{}\r\n0\r\n\r\n')).toBe(200)
  expect(await post(['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n', '1.0')).toBe(400)
})

test.each([
  `/things/1?api_key=${key}`,
  `/things/1?a=b&x=Bearer%20${key}&c=d`,
  `/things/${key}`,
  `/workloads/x?token=${key}`,
])('S15: a key in a URL is rejected and reported as exposed: %s', async (target) => {
  exposed.length = 0

  const answer = await exchange(address, `GET ${target} HTTP/1.1\r\n${host}\r\n\r\n`)

  expect([statusOf(answer), exposed]).toEqual([400, [key]])
  expect(answer).not.toContain(key)
})

test('a code of a provider that contains the key prefix is not a key', async () => {
  exposed.length = 0

  expect(await ask(`/things/1?code=4/0A${key}xyz`)).toBe(200)
  expect(await ask('/things/1?code=tst_short')).toBe(200)
  expect(exposed).toEqual([])
})

test('only local clients may use a local host name', () => {
  const isOurs = ownHosts({ addresses: ['https://connect.example'], names: [] })
  const from = (remoteAddress: string) =>
    ({ headers: { host: 'localhost' }, socket: { remoteAddress } }) as IncomingMessage

  expect(isOurs(from('198.51.100.7'))).toBe(false)
  expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((address) => isOurs(from(address)))).toEqual([true, true, true])
})
