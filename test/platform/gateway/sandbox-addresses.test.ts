import request from 'supertest'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createResource, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let key: string

beforeAll(async () => {
  world = await platformWorld()
  const home = await world.enter('filesystem', 'user@acme.example')
  key = home.key
  const api = world.as(home)
  await createResource(api, 'sandboxes', 'filesystem')
  const params = { name: 'write_file', arguments: { path: '/filesystem/tree/deep/a.txt', content: 'A' } }
  await request(world.app)
    .post('/filesystem/sandboxes/filesystem/mcp')
    .auth(key, { type: 'bearer' })
    .set('Accept', 'application/json, text/event-stream')
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    .expect(200)
})
afterAll(() => world.close())

const own = '/filesystem/sandboxes/filesystem'
const host = 'sbx-filesystem-filesystem.local.sandboxes.example'

test.each([
  [`${own}/filesystem`, undefined, '/'],
  [`${own}/filesystem/filesystem`, undefined, '/filesystem'],
  [`${own}/filesystem/%2Ffilesystem%2Ftree`, undefined, '/filesystem/tree'],
  [`${own}/filesystem/tree`, undefined, '/'],
  [`${own}/filesystem/tree/filesystem/tree`, undefined, '/filesystem/tree'],
  [`${own}/FileSystem/Tree/filesystem/`, undefined, '/filesystem'],
  ['/filesystem/filesystem?x=/filesystem', host, '/filesystem'],
  ['/filesystem/tree/filesystem', host.toUpperCase(), '/filesystem'],
])('%s at the host %s is the folder %s', async (path, name, folder) => {
  const { status, body } = await request(world.app)
    .get(path)
    .auth(key, { type: 'bearer' })
    .set(name ? { Host: name } : {})

  expect([status, body.path, body.subdirectories.length]).toEqual([200, folder, 1])
})

test.each(['caf%C3%A9/..%2f..', '%00', 'a%00b', '..%c0%af', '%e0%80%ae%e0%80%ae/', '..%5c..', '%2e%2e%2f', '．．／'])(
  'the path %s is not found',
  async (path) => {
    const { status, body } = await request(world.app)
      .get(`${own}/filesystem/${encodeURI(path).replaceAll('%25', '%')}`)
      .auth(key, { type: 'bearer' })

    expect([400, 404]).toContain(status)
    expect(body.error).toMatchObject({ status, retryable: false })
  },
)

test('a request to the host of a sandbox counts once', async () => {
  const minute = new Date()
  // Counts restart if the minute ends in between.
  const limited = await platformWorld({ env: { RATE_KEY_PER_MINUTE: '4' }, adapters: { now: () => minute } })
  onTestFinished(() => limited.close())
  const home = await limited.enter('acme', 'user@acme.example')
  await createResource(limited.as(home), 'sandboxes', 'box')
  const list = () =>
    request(limited.app)
      .get('/filesystem')
      .set('Host', 'sbx-box-acme.local.sandboxes.example')
      .auth(home.key, { type: 'bearer' })

  const statuses = [(await list()).status, (await list()).status, (await list()).status, (await list()).status]

  expect(statuses).toEqual([200, 200, 200, 429])
})

test('a host of two sandboxes of the caller is ambiguous until a header names the workspace', async () => {
  for (const [workspace, name] of [
    ['b-c', 'a'],
    ['c', 'a-b'],
  ] as const) {
    const member = await world.enter(workspace, 'user@acme.example')
    await createResource(world.as(member), 'sandboxes', name)
  }
  const list = (headers = {}) =>
    request(world.app)
      .get('/filesystem')
      .auth(key, { type: 'bearer' })
      .set({ Host: 'sbx-a-b-c.local.sandboxes.example', ...headers })

  const [neither, first, second, stranger] = [
    await list(),
    await list({ 'X-Service-Workspace': 'b-c' }),
    await list({ 'X-Service-Workspace': 'c' }),
    await list({ 'X-Service-Workspace': 'filesystem' }),
  ]

  expect([neither.status, neither.body.error.code]).toEqual([400, 'BAD_REQUEST'])
  expect([first.status, second.status, stranger.status]).toEqual([200, 200, 400])
})
