// Requests that ask for another protocol.
import { once } from 'node:events'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/kit/http/http-server.ts'
import { tunnelHead } from '../../src/kit/streams/web-sockets.ts'
import { dial, exchange, statusOf } from '../support/http/raw-http.ts'

/** Of the connection, at each request. */
const errorListeners: number[] = []

const server = await listen(
  async (req, res) => {
    errorListeners.push(req.socket.listenerCount('error'))
    const head = req.url === '/tunnel' ? tunnelHead(req) : undefined
    if (head) {
      res.writeHead(101, { connection: 'Upgrade', upgrade: 'websocket' }).flushHeaders()
      req.socket.write(head)
      return void req.socket.pipe(req.socket)
    }
    let body = ''
    for await (const part of req) body += part
    res.end(`${req.method} ${body} ${req.headers.upgrade ?? 'no upgrade'}`)
  },
  { host: '127.0.0.1', port: 0, servesWebSockets: true },
)
const address = `http://127.0.0.1:${server.port}`
afterAll(() => server.close(0))

const asking = (line: string, protocol: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`

test('a handshake becomes a tunnel, also for bytes that arrive with it', async () => {
  const answer = await exchange(address, `${asking('GET /tunnel', 'websocket')}early`)

  expect(statusOf(answer)).toBe(101)
  expect(answer).toMatch(/\r\n\r\nearly$/)
})

test('a handshake elsewhere is a request, after which the connection closes', async () => {
  const answer = await exchange(address, asking('GET /', 'WebSocket') + asking('GET /tunnel', 'websocket'))

  expect(answer).toMatch(/^HTTP\/1.1 200 .*connection: close.*GET {2}WebSocket$/is)
})

test.each([
  ['POST /', 'h2c', 'Content-Length: 4\r\n', 'body', 'POST body'],
  ['POST /', 'h2c', 'Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n', 'POST body'],
  ['POST /', 'websocket', 'Content-Length: 4\r\n', 'body', 'POST body'],
  ['GET /', 'h2c, websocket', '', '', 'GET '],
])(
  '%s with the upgrade %s and %j is served without it, and so is the next request',
  async (line, to, more, body, seen) => {
    const answer = await exchange(address, `${asking(line, to, more)}${body}GET / HTTP/1.1\r\nHost: x\r\n\r\n`)

    const bodies = [...answer.matchAll(/(GET|POST) \w* no upgrade/g)].map(([text]) => text)
    expect(bodies).toEqual([`${seen} no upgrade`, 'GET  no upgrade'])
  },
)

test('declined upgrades of one connection leave nothing behind', async () => {
  const socket = await dial(address)
  errorListeners.length = 0

  for (let at = 0; at < 4; at++) {
    socket.write(asking('GET /', 'h2c'))
    await once(socket, 'data')
  }
  socket.destroy()

  expect(errorListeners).toHaveLength(4)
  expect(new Set(errorListeners.slice(1)).size).toBe(1)
})

test('a handshake behind an unanswered request ends the connection', async () => {
  const answer = await exchange(
    address,
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na${asking('GET /tunnel', 'websocket')}`,
  )

  expect(answer).not.toContain('101')
})

test('closing the server cuts tunnels', async () => {
  const own = await listen(
    (req, res) => {
      if (!tunnelHead(req)) return void res.end()
      res.writeHead(101, { connection: 'Upgrade', upgrade: 'websocket' }).flushHeaders()
    },
    { host: '127.0.0.1', port: 0, servesWebSockets: true },
  )
  onTestFinished(() => own.close(0))
  const socket = await dial(`http://127.0.0.1:${own.port}`)
  socket.write(asking('GET /', 'websocket'))
  await once(socket, 'data')

  const closed = once(socket, 'close')
  await own.close(60_000)
  await closed
})
