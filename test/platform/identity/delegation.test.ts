// Keys and accounts created with a scoped credential have at most its scopes.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
await world.addServiceAccount('robot', 'admin', 'robot-secret')

afterAll(() => world.close())

const day = 86_400_000

const tokenOf = async (client: { clientId: string; clientSecret: string }, scope?: string): Promise<string> => {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
  const { body } = await request(world.app)
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', ...credentials, ...(scope && { scope }) })
  return body.access_token
}

const as = (key: string) => world.as({ key, workspace: 'acme' })
const scoped = async (scope: string) => as(await tokenOf({ clientId: 'robot', clientSecret: 'robot-secret' }, scope))

test('S6: a key created with a token has the scopes of that token', async () => {
  const api = await scoped('apiKey:write drives:list')

  const { body: own } = await api.post('/v0/api_keys').send({ name: 'own' })
  const { body: robots } = await api.post('/v0/service_accounts/robot/api_keys').send({ name: 'of-robot' })

  for (const key of [own, robots]) {
    expect(key.scopes).toEqual(['apiKey:write', 'drives:list'])
    expect((await as(key.apiKey).get('/v0/drives')).status).toBe(200)
    expect((await as(key.apiKey).get('/v0/jobs')).status).toBe(403)
    const robot = await as(key.apiKey).post('/v0/service_accounts').send({ name: 'more', role: 'admin' })
    expect(robot.status).toBe(403)
  }
})

test('S6: a key created with a token expires within 90 days', async () => {
  const api = await scoped('apiKey:write')

  const { body: unsaid } = await api.post('/v0/api_keys').send({ name: 'unsaid' })
  const { body: short } = await api.post('/v0/api_keys').send({ name: 'short', expiresIn: 3_600 })
  const long = await api.post('/v0/api_keys').send({ name: 'long', expiresIn: (91 * day) / 1000 })

  expect(Date.parse(unsaid.expiresAt) - Date.parse(unsaid.createdAt)).toBeCloseTo(90 * day, -5)
  expect(Date.parse(short.expiresAt) - Date.parse(short.createdAt)).toBeCloseTo(3_600_000, -5)
  expect(long.status).toBe(400)
})

test('S6: a key created with a scoped key has the same scopes, and expires no later', async () => {
  const { body: first } = await (await scoped('apiKey:write')).post('/v0/api_keys').send({ name: 'a', expiresIn: 60 })

  const { body: second } = await as(first.apiKey).post('/v0/api_keys').send({ name: 'b' })
  const longer = await as(first.apiKey).post('/v0/api_keys').send({ name: 'c', expiresIn: 3_600 })

  expect([second.scopes, second.expiresAt]).toEqual([['apiKey:write'], first.expiresAt])
  expect(longer.status).toBe(400)
})

test('S6: a key without scopes creates keys as before', async () => {
  const { body: key } = await world.as(world.admin).post('/v0/api_keys').send({ name: 'plain' })

  expect(key).not.toHaveProperty('scopes')
  expect(key).not.toHaveProperty('expiresAt')
  expect((await as(key.apiKey).get('/v0/jobs')).status).toBe(200)
})

test('S6: a service account created with scopes is not an admin, and has those scopes', async () => {
  const api = await scoped('serviceAccounts:create serviceAccounts:update drives:list')

  const admin = await api.post('/v0/service_accounts').send({ name: 'boss', role: 'admin' })
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'helper' })
  const raised = await api.put(`/v0/service_accounts/${account.clientId}`).send({ name: 'helper', role: 'admin' })
  const byAdmin = world.as(world.admin).post(`/v0/service_accounts/${account.clientId}/api_keys`)
  const { body: key } = await byAdmin.send({ name: 'unscoped' })

  expect([admin.status, raised.status]).toEqual([403, 403])
  for (const credential of [await tokenOf(account), key.apiKey]) {
    expect((await as(credential).get('/v0/drives')).status).toBe(200)
    expect((await as(credential).get('/v0/jobs')).status).toBe(403)
  }
})

test('S6: the admin scope can create admin service accounts', async () => {
  const { body } = await (await scoped('admin'))
    .post('/v0/service_accounts')
    .send({ name: 'second-boss', role: 'admin' })

  expect(body.role).toBe('admin')
  expect((await as(await tokenOf(body)).get('/v0/jobs')).status).toBe(200)
})

test('X3: a response for more scopes is not replayed to a credential with fewer, despite the same key', async () => {
  const create = (api: ReturnType<typeof as>) =>
    api.post('/v0/api_keys').set('Idempotency-Key', 'key-for-ci').send({ name: 'ci' })
  const { body: whole } = await create(await scoped('admin'))

  const { body: less } = await create(await scoped('apiKey:write'))
  const again = await create(await scoped('apiKey:write'))

  expect(less.apiKey).not.toBe(whole.apiKey)
  expect(less.scopes).toEqual(['apiKey:write'])
  expect(again.body).toEqual(less)
})

test("X4: a credential without the admin scope can't create admins, but can create members", async () => {
  const api = await scoped('workspaces:invite workspaces:update workspaces:get')
  const users = '/v0/workspaces/acme/users'
  await world.join('acme', 'member@acme.example', 'member')

  const invited = await api.post(users).send({ email: 'second@evil.example', role: 'admin' })
  const member = await api.post(users).send({ email: 'third@acme.example', role: 'member' })
  const raised = await api.put(`${users}/member@acme.example`).send({ role: 'admin' })
  const mapped = await api
    .put('/v0/workspaces/acme')
    .send({ name: 'acme', groupMappings: [{ groupName: 'everybody', role: 'admin' }] })
  const byAdmin = await (await scoped('admin')).post(users).send({ email: 'fourth@acme.example', role: 'admin' })

  expect([invited.status, member.status, raised.status, mapped.status, byAdmin.status]).toEqual([
    403, 200, 403, 403, 200,
  ])
})
