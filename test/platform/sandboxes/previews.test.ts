// Addresses of a sandbox that need no key of the platform.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld({ env: { SANDBOX_DOMAIN: 'sandboxes.example' } })
const api = world.as(world.admin)
await createResource(api, 'sandboxes', 'box', { runtime: { memory: 256 } })
afterAll(() => world.close())

const previews = '/v0/sandboxes/box/previews'
/** As clients create a session: a preview of the sandbox's own API, with a token. */
async function session(name: string, spec: object = {}, expiresAt = new Date(Date.now() + 3_600_000)) {
  const { body: preview } = await api
    .post(previews)
    .send({ metadata: { name }, spec: { port: 443, public: false, ...spec } })
    .expect(200)
  const { body: token } = await api
    .post(`${previews}/${name}/tokens`)
    .send({ metadata: { name: `token-${name}` }, spec: { expiresAt: expiresAt.toISOString() } })
    .expect(200)
  return { preview, token: token.spec.token as string, host: new URL(preview.spec.url).host }
}

const at = (host: string, path: string) => request(world.app).get(path).set('Host', host)

test('a session reaches files and processes of its sandbox with its token alone', async () => {
  const { host, token, preview } = await session('session-1')

  const started = await request(world.app)
    .post('/process')
    .set({ Host: host, 'X-Service-Preview-Token': token })
    .send({ command: 'echo hello > /greeting', waitForCompletion: true })
  const read = await at(host, `/filesystem/%2Fgreeting?preview_token=${token}`)

  expect(preview).toMatchObject({ metadata: { resourceName: 'box', resourceType: 'sandbox' }, status: 'DEPLOYED' })
  expect([started.status, started.body.status, read.body.content]).toEqual([200, 'completed', 'hello\n'])
})

test('another token, none, and one of another preview are answered like a missing preview', async () => {
  const [one, other] = [await session('session-2'), await session('session-3')]
  const tries = [undefined, 'x', `${one.token}x`, other.token]

  for (const token of tries) {
    const { status, body } = await at(one.host, '/process').set(token ? { 'X-Service-Preview-Token': token } : {})
    expect([status, body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  }
  const missing = one.host.replace(/^pv-[0-9a-f]{8}/, 'pv-00000000')
  expect((await at(missing, '/process')).status).toBe(404)
})

test('a session has neither the MCP server nor the drives of its sandbox, nor other resources', async () => {
  const { host, token } = await session('session-4')

  for (const path of ['/mcp', '/drives', '/../../v0/sandboxes']) {
    const { status } = await at(host, path).set('X-Service-Preview-Token', token)
    expect([401, 404]).toContain(status)
  }
})

test('the host of a preview has no page of the platform, whose origin the sandbox would share', async () => {
  const { host } = await session('session-10', { public: true })

  for (const path of ['/keys', '/oauth/authorize', '/openapi.json', '/v0/sandboxes', '/healthz']) {
    const { status, body } = await at(host, path)
    expect([status, body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  }
})

test('previews and their tokens need the scope to control sandboxes', async () => {
  await session('session-11')
  await world.addServiceAccount('robot', 'admin', 'robot-secret')
  const credentials = { grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret' }
  const scope = 'sandboxes:create sandboxes:delete sandboxes:get sandboxes:list sandboxes:update'
  const { body } = await request(world.app)
    .post('/oauth/token')
    .send({ ...credentials, scope })
  const robot = world.as({ key: body.access_token, workspace: 'acme' })

  const preview = { metadata: { name: 'mine' }, spec: { port: 443, public: true } }
  const answers = [
    await robot.get('/v0/sandboxes/box'),
    await robot.post(previews).send(preview),
    await robot.get(`${previews}/session-11/tokens`),
    await robot.get(`${previews}/session-11/tokens/token-session-11`),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403])
})

test('a token that is deleted or has expired, and a preview that has expired, no longer work', async () => {
  const gone = await session('session-5')
  const late = await session('session-6', {}, new Date(Date.now() - 1_000))
  const over = await session('session-7', { expires: new Date(Date.now() - 1_000).toISOString() })
  await api.delete(`${previews}/session-5/tokens/token-session-5`).expect(200)

  for (const { host, token } of [gone, late, over])
    expect((await at(host, '/process').set('X-Service-Preview-Token', token)).status).toBe(404)
  const { body } = await api.get(`${previews}/session-6/tokens`).expect(200)
  expect(body[0].spec.expired).toBe(true)
})

test('outputs are followed by a limited number of streams, which end with their preview', async () => {
  const { host } = await session('session-12', { public: true })
  const { port } = new URL(await world.listen())
  const { body: started } = await api.post('/acme/sandboxes/box/process').send({ command: 'sleep 600' }).expect(200)
  const follow = async (): Promise<IncomingMessage> => {
    const path = `/process/${started.pid}/logs/stream`
    const [res] = await once(get({ host: '127.0.0.1', port, path, headers: { host } }), 'response')
    return res.resume()
  }
  const streams = await Promise.all(Array.from({ length: 16 }, follow))

  const refused = await follow()
  await api.delete(`${previews}/session-12`).expect(200)
  await Promise.all(streams.map((stream) => once(stream, 'end')))

  expect(streams.map(({ statusCode }) => statusCode)).toEqual(streams.map(() => 200))
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  await api.delete(`/acme/sandboxes/box/process/${started.pid}`).expect(200)
}, 20_000)

test('a token is listed again with the same value, and is not stored', async () => {
  const { host, token } = await session('session-8')
  const { body } = await api.get(`${previews}/session-8/tokens`).expect(200)
  const { rows } = await world.pool.query(`select * from resources where kind = 'previewtoken'`)

  expect(body[0].spec.token).toBe(token)
  expect((await at(host, '/process').set('X-Service-Preview-Token', token)).status).toBe(200)
  expect(JSON.stringify(rows)).not.toContain(token.slice(-32))
})

test('a public preview needs no token, and sets its own headers only', async () => {
  const responseHeaders = { 'Access-Control-Allow-Origin': '*', 'Set-Cookie': 'a=b' }
  const { host } = await session('session-9', { public: true, responseHeaders })

  const { status, headers } = await at(host, '/process')

  expect([status, headers['access-control-allow-origin'], headers['set-cookie']]).toEqual([200, '*', undefined])
})

test('request headers of a preview are stored sealed, shown as masks, and kept by an update with a mask', async () => {
  await api.put('/acme/sandboxes/box/filesystem/secret').send({ content: 'bytes' }).expect(200)
  const { host, preview } = await session('session-13', {
    public: true,
    requestHeaders: { Accept: 'application/octet-stream' },
  })
  const read = () => at(host, '/filesystem/%2Fsecret').buffer(true)
  const before = await read()

  await api
    .put(`${previews}/session-13`)
    .send({ metadata: { name: 'session-13' }, spec: preview.spec })
    .expect(200)

  const after = await read()
  const { rows } = await world.pool.query(`select spec, sealed from resources where name = 'session-13'`)
  expect(preview.spec.requestHeaders).toEqual({ Accept: '********' })
  expect([before.headers['content-type'], after.headers['content-type']]).toEqual([
    'application/octet-stream',
    'application/octet-stream',
  ])
  expect(JSON.stringify(rows)).not.toContain('octet-stream')
})

test('ports of a sandbox without an image are rejected with the reason', async () => {
  const { body } = await api.get('/acme/sandboxes/box/port/8080/').expect(400)

  expect(body.error.message).toContain('a sandbox with an image')
})

test('a deleted sandbox takes its previews and tokens along, and they are counted until then', async () => {
  await createResource(api, 'sandboxes', 'short')
  const path = '/v0/sandboxes/short/previews'
  await api
    .post(path)
    .send({ metadata: { name: 'p' }, spec: { port: 80 } })
    .expect(200)
  await api
    .post(`${path}/p/tokens`)
    .send({ metadata: { name: 't' }, spec: {} })
    .expect(200)
  const count = async () =>
    (await api.get('/v0/workspaces/acme?countResources=true').expect(200)).body.resourceCounts.previews
  const before = await count()

  await api.delete('/v0/sandboxes/short').expect(200)

  expect(await count()).toBe(before - 1)
  const { rows } = await world.pool.query(`select from resources where parent like 'short%'`)
  expect(rows).toEqual([])
})

test('without a sandbox domain, a preview has a path', async () => {
  const plain = await platformWorld()
  const own = plain.as(plain.admin)
  await createResource(own, 'sandboxes', 'box')
  const { body } = await own
    .post(previews)
    .send({ metadata: { name: 'p' }, spec: { port: 443, public: true } })
    .expect(200)

  const { pathname } = new URL(body.spec.url)
  const { status } = await request(plain.app).get(`${pathname}/process`)

  expect([pathname.startsWith('/acme/previews/'), status]).toEqual([true, 200])
  await plain.close()
})
