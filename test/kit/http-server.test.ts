// Case 59 of the attack catalogue, with short timeouts.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type HttpServer, type ListenOptions, listen } from '../../src/kit/http/http-server.ts'
import { bodyOf, dial, exchange, idle, statusOf, unreadable } from '../support/http/raw-http.ts'

let server: HttpServer | undefined
afterEach(() => server?.close(0))

const readsAll: RequestListener = (req, res) => {
  req.resume().once('end', () => res.end('done'))
}

async function serve(options: Partial<ListenOptions> = {}, app = readsAll): Promise<string> {
  const refusal = ({ status, path }: { status: number; path: string | undefined }) => ({
    type: 'application/json',
    body: JSON.stringify({ status, path }),
  })
  server = await listen(app, { host: '127.0.0.1', port: 0, refusal, ...options })
  return `http://127.0.0.1:${server.port}`
}

/** Cutting a client that is sending resets the connection. */
const ended = (socket: Socket) => socket.closed || new Promise((resolve) => socket.resume().once('close', resolve))

test.each(unreadable)('a request with %s returns %i, and the connection ends', async (_, status, request) => {
  const address = await serve({}, readsAll)

  const answer = await exchange(address, request('/some/where'))

  expect(statusOf(answer)).toBe(status)
  expect(answer.split('HTTP/1.1')).toHaveLength(2)
  expect(answer).toMatch(/connection: close/i)
})

test('a malformed request after an answered one gets its own response', async () => {
  const address = await serve()
  const socket = await dial(address)
  socket.write('GET /good HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')

  socket.write('GET /bad HTTP/1.1\r\nHost: x\r\nX-A: b\nc\r\n\r\n')
  const [answer] = await once(socket, 'data')
  socket.destroy()

  expect([statusOf(String(answer)), JSON.parse(bodyOf(String(answer)))]).toEqual([400, { status: 400, path: '/bad' }])
})

test('incomplete headers get a 408', async () => {
  const address = await serve({ headersMs: 100 })
  const socket = await dial(address)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })

  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  const drip = setInterval(() => socket.writable && socket.write('X-More: x\r\n'), 30)
  await ended(socket)
  clearInterval(drip)

  expect([statusOf(answer), JSON.parse(bodyOf(answer))]).toEqual([408, { status: 408 }])
})

test('an incomplete body gets a 408 after the timeout of its path', async () => {
  const address = await serve({ bodyMs: (path) => (path.startsWith('/patient') ? 60_000 : 100) })
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf`
  const patient = await dial(address)
  patient.write(post('/patient'))

  const answer = await exchange(address, post('/hurried'))

  expect([statusOf(answer), JSON.parse(bodyOf(answer))]).toEqual([408, { status: 408, path: '/hurried' }])
  patient.write(' whole')
  const [late] = await once(patient, 'data')
  expect(statusOf(String(late))).toBe(200)
  patient.destroy()
})

test('a complete body has no timeout', async () => {
  const address = await serve({ bodyMs: () => 100 }, (req, res) => {
    req.resume().once('end', async () => {
      await pause(300)
      res.end('slow work, quick body')
    })
  })

  // In one piece: on a busy machine a second one could miss the timeout.
  const answer = await exchange(address, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nall of it')

  expect([statusOf(answer), bodyOf(answer)]).toEqual([200, expect.stringContaining('slow work, quick body')])
})

/** Max delay of the event loop while other clients are served, in milliseconds. */
async function delayBeside(address: string): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(address)).status))
  delay.disable()
  expect(new Set(statuses)).toEqual(new Set([200]))
  return delay.percentile(99) / 1e6
}

test('closes silent connections while it serves other clients', async () => {
  const address = await serve({ headersMs: 3_000 })
  const silent = await idle(address, 2_000)

  const rounds = [await delayBeside(address), await delayBeside(address), await delayBeside(address)]
  await Promise.all(silent.map(ended))

  // The best of several rounds, to exclude other load of the machine.
  expect(Math.min(...rounds)).toBeLessThan(1_000)
})

test('a connection above the limit is closed immediately', async () => {
  const address = await serve({ maxConnections: 3 })
  const held = await idle(address, 3)

  const more = await dial(address)
  await ended(more)
  held[0]?.destroy()
  await ended(held[0] as Socket)

  expect(held.slice(1).every((socket) => !socket.closed)).toBe(true)
  for (const socket of held) socket.destroy()
})

test('pipelined requests are answered in order', async () => {
  const address = await serve({}, (req, res) => {
    res.end(`answer to ${req.url}\n`)
  })
  const requests = Array.from({ length: 20 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`)

  const answer = await exchange(address, requests.join(''))

  const paths = [...answer.matchAll(/answer to \/(\d+)/g)].map(([, at]) => Number(at))
  expect(paths).toEqual(Array.from({ length: 20 }, (_, at) => at))
})

test('T11: pipelined requests of a connection are served one after the other', async () => {
  let underWay = 0
  let most = 0
  const address = await serve({}, (_req, res) => {
    underWay += 1
    most = Math.max(most, underWay)
    setImmediate(() => {
      underWay -= 1
      res.end('answer\n')
    })
  })
  const requests = Array.from({ length: 60 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`)

  const answer = await exchange(address, requests.join(''))

  expect([answer.match(/answer/g)?.length, most]).toEqual([60, 1])
})

test('T11: a connection with too many waiting requests is closed', async () => {
  const address = await serve({}, (_req, res) => void setImmediate(() => res.end('answer\n')))
  const socket = await dial(address)

  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))

  await ended(socket)
})

test.each([429, 404, 401])('T11: a pipelined flood ends at the first response with %i', async (status) => {
  let served = 0
  const address = await serve({}, (_req, res) => {
    served += 1
    setImmediate(() => res.writeHead(status).end('no\n'))
  })
  const requests = Array.from({ length: 60 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`)

  const answer = await exchange(address, requests.join(''))

  expect(statusOf(answer)).toBe(status)
  expect(served).toBe(1)
})

test('T11: a client that does not pipeline keeps its connection after a rejected request', async () => {
  const address = await serve({}, (_req, res) => void res.writeHead(429).end('slow down\n'))
  const socket = await dial(address)
  const ask = async () => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return statusOf(String((await once(socket, 'data'))[0]))
  }

  const statuses = [await ask(), await ask()]
  socket.destroy()

  expect(statuses).toEqual([429, 429])
})

test('Expect: 100-continue gets a 100', async () => {
  const address = await serve()
  const socket = await dial(address)

  socket.write('POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n')
  const [first] = await once(socket, 'data')
  socket.write('body')
  const [second] = await once(socket, 'data')
  socket.destroy()

  expect([String(first), statusOf(String(second))]).toEqual(['HTTP/1.1 100 Continue\r\n\r\n', 200])
})

test('a rejected client that continues sending is cut off', async () => {
  const address = await serve({}, (_req, res) => {
    res.writeHead(401).end('no')
  })
  const socket = await dial(address)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n')
  const drip = setInterval(() => socket.writable && socket.write('x'), 100)

  await ended(socket)
  clearInterval(drip)

  expect(socket.closed).toBe(true)
})

test('a draining server fails its readiness check, keeps serving, and closes each connection after its response', async () => {
  const address = await serve()
  const before = await fetch(`${address}/some/where`)

  server?.drain()
  const ready = await fetch(`${address}/readyz`)
  const served = await fetch(`${address}/some/where`)

  expect([before.headers.get('connection'), before.status]).toEqual(['keep-alive', 200])
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }])
  expect([served.status, await served.text(), served.headers.get('connection')]).toEqual([200, 'done', 'close'])
})

test('a closing server answers the connections that wait to be accepted', async () => {
  const address = await serve()
  const request = 'POST /some/where HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'
  const answers = Array.from({ length: 20 }, () => exchange(address, request))

  server?.drain()
  await server?.close()

  expect((await Promise.all(answers)).map(statusOf)).toEqual(Array(20).fill(200))
})

test('a closing server cuts a connection that it accepted last and never answers', async () => {
  const address = await serve({}, () => {})
  const answer = exchange(address, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')

  await server?.close(0)

  expect(await answer).toBe('')
})
