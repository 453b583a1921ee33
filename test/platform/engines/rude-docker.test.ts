// An engine that answers late, drops connections and breaks off streams.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { dockerEngine } from '../../../src/platform/shared/adapters/docker/docker-engine.ts'
import type { Engine, EngineRun } from '../../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'

type Answer = (req: IncomingMessage, res: ServerResponse) => void
type Rude = { calls: string[]; answers: Record<string, Answer>; attached(stream: Duplex): void }

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const json =
  (status: number, body: object = {}): Answer =>
  (_req, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const drop: Answer = (req) => void req.socket.destroy()

const frame = (output: number, text: string, length = text.length) => {
  const header = Buffer.alloc(8)
  header.writeUInt8(output, 0)
  header.writeUInt32BE(length, 4)
  return Buffer.concat([header, Buffer.from(text)])
}

const exited = { State: { Status: 'exited', Running: false, ExitCode: 0, OOMKilled: false } }
const running = { State: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false } }

/** Polite, except for `answers`, by the end of the call. */
async function rudeEngine(
  answers: Record<string, Answer>,
  attached = (stream: Duplex) => void stream.end(),
  prefixes = ['*'],
) {
  const polite: Record<string, Answer> = {
    'GET /images': json(200, { Id: 'sha256:1', Config: {} }),
    'POST /containers/create': json(201, { Id: 'made' }),
    'POST start': json(204),
    'POST wait': json(200, { StatusCode: 0 }),
    'GET json': json(200, exited),
    'DELETE /containers': json(204),
  }
  const rude: Rude = { calls: [], answers: { ...polite, ...answers }, attached }
  const server = createServer((req, res) => {
    const call = `${req.method} ${req.url?.split('?')[0]}`
    rude.calls.push(call)
    const [, answer = json(404)] =
      Object.entries(rude.answers).find(([key]) => {
        const [method = '', part = ''] = key.split(' ')
        return req.method === method && (part.startsWith('/') ? req.url?.startsWith(part) : call.endsWith(part))
      }) ?? []
    answer(req, res)
  })
  server.on('upgrade', (req, socket) => {
    rude.calls.push(`${req.method} ${req.url?.split('?')[0]}`)
    socket.on('error', () => {})
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
    rude.attached(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
  const engine = dockerEngine({
    url,
    owner: 'test',
    images: imageRules(prefixes),
    commands: undefined as unknown as Engine,
  })
  return { engine, calls: rude.calls, answers: rude.answers }
}

const run = (engine: Engine, more: Partial<EngineRun> = {}) =>
  engine.run({
    ...{ id: randomUUID(), in: { image: 'acme/task' }, command: [], env: {}, folders: [], memoryMb: 128, diskMb: 1 },
    ...{ timeoutSeconds: 60, stdin: '', signal: new AbortController().signal, ...more },
  })

const hello = (stream: Duplex) => void stream.end(frame(1, 'hello'))

test('a run passes its output on and removes its container', async () => {
  const { engine, calls } = await rudeEngine({}, hello)

  expect(await run(engine)).toMatchObject({ outcome: 'exited', code: 0, stdout: 'hello' })
  expect(calls.at(-1)).toMatch(/^DELETE \/containers\/causeway-run-/)
})

test('a name that is also the start of an ID means the image that was checked', async () => {
  const { engine, calls } = await rudeEngine({}, hello, ['docker.io/library/'])

  await run(engine, { in: { image: 'abc' } })

  expect(calls[0]).toBe('GET /images/docker.io/library/abc:latest/json')
})

test.each([
  ['cannot be asked for the image', { 'GET /images': drop }, 'unavailable'],
  ['cannot create the container', { 'POST /containers/create': json(500) }, 'unavailable'],
  ['drops the connection while it creates the container', { 'POST /containers/create': drop }, 'unavailable'],
  ['has a container of this name', { 'POST /containers/create': json(409) }, 'unavailable'],
  ['cannot start the command', { 'POST start': json(400, { message: 'no such file' }) }, 'not_started'],
  ['drops the connection while it starts the command', { 'POST start': drop }, 'unavailable'],
])('an engine that %s gets no second call, and the container is removed', async (_what, answers, outcome) => {
  const { engine, calls } = await rudeEngine(answers)

  const end = await run(engine)

  expect([end.outcome, end.stdout]).toEqual([outcome, ''])
  expect(calls.filter((call) => call === 'POST /containers/create').length).toBeLessThan(2)
  if (calls.includes('POST /containers/create')) expect(calls.at(-1)).toMatch(/^DELETE \/containers\/causeway-run-/)
})

test('a run goes on when the connection that waits for it is dropped', async () => {
  let asked = 0
  const { engine } = await rudeEngine(
    {
      'POST wait': drop,
      'GET json': (req, res) => json(200, asked++ < 3 ? running : exited)(req, res),
    },
    hello,
  )

  expect(await run(engine)).toMatchObject({ outcome: 'exited', code: 0, stdout: 'hello' })
  expect(asked).toBe(4)
})

test('a run whose container somebody removed ends', async () => {
  const { engine } = await rudeEngine({ 'POST wait': json(404), 'GET json': json(404) }, hello)

  expect((await run(engine)).outcome).toBe('signalled')
})

test('a run ends at its timeout if the engine never says that it ended', async () => {
  const silent: Answer = () => {}
  const { engine, calls } = await rudeEngine({ 'POST wait': silent }, () => {})

  const end = await run(engine, { timeoutSeconds: 1 })

  expect(end.outcome).toBe('timeout')
  expect(calls.at(-1)).toMatch(/^DELETE /)
})

test.each([
  ['in the middle of a frame', (stream: Duplex) => void stream.end(frame(1, 'hel', 5)), 'hel'],
  ['in the middle of a header', (stream: Duplex) => void stream.end(frame(1, 'hello').subarray(0, 5)), ''],
  ['with a reset', (stream: Duplex) => void stream.destroy(), ''],
  ['after a frame that claims four gigabytes', (stream: Duplex) => void stream.end(frame(1, 'x', 2 ** 32 - 1)), 'x'],
])('output that breaks off %s is kept until there', async (_where, attached, stdout) => {
  const { engine } = await rudeEngine({}, attached)

  expect(await run(engine)).toMatchObject({ outcome: 'exited', stdout })
})

test('an engine that cannot be reached reports a problem and runs nothing', async () => {
  const engine = dockerEngine({
    url: 'unix:///nowhere.sock',
    owner: 'test',
    images: imageRules(['*']),
    commands: undefined as unknown as Engine,
  })

  expect(await engine.problem()).toBeDefined()
  expect(await run(engine)).toMatchObject({ outcome: 'unavailable', reason: expect.stringContaining('engine') })
})

const kept = { id: 'k1', image: 'acme/box', memoryMb: 128 }

test('a kept container that another process creates at the same moment is used', async () => {
  let found = 0
  const { engine, calls } = await rudeEngine({
    'GET json': (req, res) => (found++ === 0 ? json(404)(req, res) : json(200, running)(req, res)),
    'POST /volumes/create': json(201),
    'POST /containers/create': json(500, { message: 'the name is in use' }),
    'PUT archive': json(200),
    'POST start': json(304),
  })

  expect(await engine.containers?.keep(kept)).toEqual({})
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
})

test('an image that cannot be pulled is a problem, also if the pull breaks off', async () => {
  const broken = (_req: IncomingMessage, res: ServerResponse) =>
    void res.writeHead(200).end('{"status":"Pulling"}\n{"errorDetail":{"message":"no"},"error":"no"}\n')
  const { engine, answers } = await rudeEngine({ 'GET /images': json(404), 'POST /images': broken })

  const failed = await engine.containers?.fetch('acme/box')
  answers['POST /images'] = drop
  const dropped = await engine.containers?.fetch('acme/box')

  expect([failed?.problem, dropped?.problem]).toEqual(Array(2).fill(expect.stringContaining('acme/box')))
})
