// WebSockets of servers in sandboxes, such as those of development servers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Agent, WebSocket } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { sandboxPorts } from '../../../src/platform/gateway/adapters/sandboxes/sandbox-ports.ts'
import { containersWith, engineOf } from '../../support/doubles/engine.ts'
import { webSocketEcho } from '../../support/doubles/web-socket-echo.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const port = await freePort()
const echo = spawn(process.execPath, ['-e', webSocketEcho(port)], { stdio: 'inherit' })
await waitFor('the server listens', async () => {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect').then(
    () => Boolean(socket.destroy()),
    () => false,
  )
})

/** An engine whose containers are this machine. */
const engine = engineOf(
  containersWith({
    connect: async (_kept, wanted) => {
      const socket = connect(wanted, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
  }),
)

const domain = 'sandboxes.example'

async function served(env: NodeJS.ProcessEnv = {}) {
  const world = await platformWorld({
    adapters: { engine, sandboxPorts: sandboxPorts(engine, { silentForMs: 10_000 }) },
    env: { SANDBOX_DOMAIN: domain, ...env },
  })
  const api = world.as(world.admin)
  await createResource(api, 'sandboxes', 'box', { runtime: { image: 'acme/box' } })
  await createResource(api, 'sandboxes', 'confined')
  await waitFor('it is deployed', async () => (await api.get('/v0/sandboxes/box')).body.status === 'DEPLOYED')
  return { world, api, at: new URL(await world.listen()) }
}

const { world, api, at } = await served()
const here = new Agent({
  connect: { lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
})
afterAll(async () => {
  await Promise.all([world.close(), here.destroy()])
  echo.kill()
})

const key = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
const path = `/acme/sandboxes/box/port/${port}`

function dial(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers, dispatcher: here })
  const messages: string[] = []
  socket.addEventListener('message', ({ data }) => messages.push(data))
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  return { socket, messages, closed }
}

async function open(url: string, headers?: Record<string, string>) {
  const dialled = dial(url, headers)
  await Promise.race([waitFor('the server has greeted', () => dialled.messages.length > 0), dialled.closed])
  expect(dialled.messages).toHaveLength(1)
  return dialled
}

/** The answer to a handshake that is declined. */
async function declined(to: string, headers: Record<string, string> = {}, from = at): Promise<IncomingMessage> {
  const handshake = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'x',
  }
  const [res] = await once(
    get({ host: from.hostname, port: from.port, path: to, headers: { ...handshake, ...headers } }),
    'response',
  )
  return res.resume()
}

async function preview(name: string, spec: object = {}) {
  const sent = { metadata: { name }, spec: { port, public: false, ...spec } }
  const { body } = await api.post('/v0/sandboxes/box/previews').send(sent).expect(200)
  const tokens = `/v0/sandboxes/box/previews/${name}/tokens`
  const { body: token } = await api
    .post(tokens)
    .send({ metadata: { name: 't' }, spec: {} })
    .expect(200)
  const { hostname } = new URL(body.spec.url)
  return {
    host: `${hostname}:${at.port}`,
    token: token.spec.token as string,
    path: `/v0/sandboxes/box/previews/${name}`,
  }
}

test('a program talks to a server in a sandbox, which gets neither its key nor its cookies', async () => {
  const { socket, messages, closed } = await open(`ws://${at.host}${path}/hmr?x=1`, { ...key, Cookie: 'a=b' })

  socket.send('hello')
  await waitFor('it is repeated', () => messages.length > 1)
  socket.send('close')
  await closed

  expect(messages).toEqual(['/hmr?x=1 no key no cookie', 'hello'])
})

test('a browser talks to it through a preview, by its token or by the cookie of its page', async () => {
  const { host, token } = await preview('site')
  const cookie = { Cookie: `preview_token=${token}` }

  const [byToken, byCookie] = [
    await open(`ws://${host}/a?preview_token=${token}`),
    await open(`ws://${host}/b`, { ...cookie, Origin: `http://${host}` }),
  ]
  const foreign = await declined('/c', { ...cookie, host, Origin: `http://pv-other.${domain}` })

  expect([byToken.messages, byCookie.messages]).toEqual([['/a no key no cookie'], ['/b no key no cookie']])
  expect(foreign.statusCode).toBe(404)
  for (const { socket } of [byToken, byCookie]) socket.close()
})

test('a handshake is declined without a credential, by the server, and where there are no ports', async () => {
  const { host } = await preview('closed')

  const answers = [
    await declined(path),
    await declined('/', { host }),
    await declined(`${path}/none`, key),
    await declined(`/acme/sandboxes/confined/port/${port}`, key),
    await declined('/acme/sandboxes/box/port/1', key),
    await declined('/v0/sandboxes', key),
  ]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 404, 403, 400, 404, 200])
})

test.each(['is deleted', 'leads to another port'])(
  'a WebSocket closes when its preview %s',
  async (change) => {
    const name = change.replaceAll(' ', '-')
    const { host, token, path: at } = await preview(name)
    const { closed } = await open(`ws://${host}/`, { 'X-Service-Preview-Token': token })
    const moved = { metadata: { name }, spec: { port: port - 1, public: false } }

    await (change === 'is deleted' ? api.delete(at) : api.put(at).send(moved)).expect(200)

    await closed
  },
  20_000,
)

test('a sandbox has a limited number of WebSockets at the same time', async () => {
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(`ws://${at.host}${path}/`, key)))

  const refused = await declined(`${path}/`, key)
  for (const { socket } of sockets) socket.send('close')
  await Promise.all(sockets.map(({ closed }) => closed))

  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  await waitFor('another one opens', async () => {
    const { socket, messages } = dial(`ws://${at.host}${path}/`, key)
    const isOpen = await waitFor('it is settled', () => messages.length > 0 || socket.readyState === WebSocket.CLOSED)
    socket.close()
    return isOpen && messages.length > 0
  })
})

test('an idle WebSocket is closed, and its time is billed', async () => {
  const brief = await served({ GATEWAY_LONGEST_SECONDS: '1' })

  const { closed } = await open(`ws://${brief.at.host}${path}/`, {
    'X-Service-Authorization': `Bearer ${brief.world.admin.key}`,
  })
  await closed

  const billed = `select quantity > 0 as "isBilled" from usage_events where resource_type = 'sandbox'`
  await waitFor('it is billed', async () =>
    (await brief.world.pool.query(billed)).rows.some(({ isBilled }) => isBilled),
  )
  await brief.world.close()
})
