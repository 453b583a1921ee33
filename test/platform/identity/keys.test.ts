import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { newApiKey } from '../../../src/platform/identity/domain/api-key.ts'
import { stillTakenForMs } from '../../support/oracles/still-taken.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

test('a service account signs in with its client credentials and acts in its own workspace only', async () => {
  await world.enter('second', 'admin@acme.example')
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'robot', description: 'Does things' })
  const { body: token } = await request(world.app)
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', client_id: account.clientId, client_secret: account.clientSecret })
  const call = (workspace: string) =>
    request(world.app)
      .get('/v0/drives')
      .auth(token.access_token, { type: 'bearer' })
      .set('X-Service-Workspace', workspace)

  const own = await call('acme')
  const unnamed = await request(world.app).get('/v0/drives').auth(token.access_token, { type: 'bearer' })
  const foreign = await call('second')

  expect([own.status, unnamed.status, foreign.status]).toEqual([200, 200, 403])
})

test('P2: a service account is returned in both spellings', async () => {
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'both', description: 'Read by many' })
  const { body: read } = await api.get(`/v0/service_accounts/${account.clientId}`)

  const { clientId, clientSecret, createdAt, updatedAt } = account
  const underscored = { client_id: clientId, created_at: createdAt, updated_at: updatedAt }
  expect(account).toMatchObject({ ...underscored, client_secret: clientSecret, name: 'both' })
  expect(read).toMatchObject(underscored)
  expect(read).not.toHaveProperty('client_secret')
})

test('the secret of a service account is shown once', async () => {
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'shown-once', role: 'member' })

  const read = await api.get(`/v0/service_accounts/${account.clientId}`)
  const listed = await api.get('/v0/service_accounts')

  expect(account.clientSecret).toMatch(/^.{43}$/)
  expect(JSON.stringify([read.body, listed.body])).not.toContain(account.clientSecret)
  expect(read.body).toMatchObject({ name: 'shown-once', role: 'member', workspace: 'acme' })
})

test('a service account is renamed, and used names are rejected', async () => {
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'before' })
  await api.post('/v0/service_accounts').send({ name: 'taken' }).expect(200)

  const renamed = await api.put(`/v0/service_accounts/${account.clientId}`).send({ name: 'after', role: 'admin' })
  const refused = await api.put(`/v0/service_accounts/${account.clientId}`).send({ name: 'taken' })
  const again = await api.post('/v0/service_accounts').send({ name: 'taken' })

  expect(renamed.body).toMatchObject({ name: 'after', role: 'admin' })
  expect([refused.status, again.status]).toEqual([409, 409])
})

test('an update of a service account keeps omitted fields', async () => {
  const { body: account } = await api
    .post('/v0/service_accounts')
    .send({ name: 'whole', description: 'Nightly', role: 'admin' })

  const { body } = await api.put(`/v0/service_accounts/${account.clientId}`).send({ name: 'renamed' })

  expect(body).toMatchObject({ name: 'renamed', description: 'Nightly', role: 'admin' })
})

test('keys of a service account work, are listed without themselves, and stop when it is deleted', async () => {
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'keyed', role: 'admin' })
  const path = `/v0/service_accounts/${account.clientId}/api_keys`
  const { body: key } = await api.post(path).send({ name: 'ci' })
  const use = () => world.as({ key: key.apiKey, workspace: 'acme' }).get('/v0/drives')

  const listed = await api.get(path)
  const before = await use()
  await api.delete(`/v0/service_accounts/${account.clientId}`).expect(200)

  const created = { createdAt: expect.any(String), createdBy: 'admin@acme.example' }
  expect(listed.body).toEqual([{ id: key.id, name: 'ci', last4: key.apiKey.slice(-4), ...created }])
  expect(before.status).toBe(200)
  expect(await stillTakenForMs(use)).toBeLessThan(5_000)
})

test('a key for a concurrently deleted service account is rejected without a 5xx', async () => {
  const by = { kind: 'operator', id: '', label: 'operator', credential: 'command' } as const
  const made = { ...newApiKey(), name: 'late', scopes: undefined, expiresAt: undefined }

  const adding = world.adapters.apiKeys.add(made, { serviceAccountId: 'sa-gone' }, by)

  await expect(adding).rejects.toMatchObject({ code: 'resource_unknown' })
})

test('a revoked key stops working within five seconds', async () => {
  const { body: key } = await api.post('/v0/api_keys').send({ name: 'short-lived' })
  const use = () => world.as({ key: key.apiKey, workspace: 'acme' }).get('/v0/drives')
  expect((await use()).status).toBe(200)

  await api.delete(`/v0/api_keys/${key.id}`).expect(200)

  expect(await stillTakenForMs(use)).toBeLessThan(5_000)
})

test('an expired key does not work', async () => {
  const { body: key } = await api.post('/v0/api_keys').send({ name: 'expired', expiresIn: 3_600 })
  await world.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [key.id])

  const { status } = await world.as({ key: key.apiKey, workspace: 'acme' }).get('/v0/drives')

  expect(key.expiresAt).toBeDefined()
  expect(status).toBe(401)
})

test.each([
  [{ expires_in: '1h' }, 3_600],
  [{ expiresIn: '30d' }, 2_592_000],
  [{ expiresIn: '90' }, 90],
  [{ expires_in: 60 }, 60],
  [{ expires_in: '15m', expiresIn: 900 }, 900],
])('P3: a key requested with %j expires after %i seconds', async (lifetime, seconds) => {
  const { body: key } = await api.post('/v0/api_keys').send({ name: 'timed', ...lifetime })

  expect((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 1000).toBeCloseTo(seconds, -1)
})

test.each([
  { expires_in: 'tomorrow' },
  { expires_in: '0d' },
  { expiresIn: '99999w' },
  { expiresIn: '1h', expires_in: '2h' },
  { expiresin: '1h' },
  { expiry: 3_600 },
])('P3: a key requested with %j is rejected instead of never expiring', async (lifetime) => {
  const own = await api.post('/v0/api_keys').send({ name: 'never', ...lifetime })
  const { body: account } = await api.post('/v0/service_accounts').send({ name: `never-${JSON.stringify(lifetime)}` })
  const robots = await api
    .post(`/v0/service_accounts/${account.clientId}/api_keys`)
    .send({ name: 'never', ...lifetime })
  const { body: listed } = await api.get('/v0/api_keys')

  expect([own.status, robots.status]).toEqual([400, 400])
  expect(listed.map(({ name }: { name: string }) => name)).not.toContain('never')
})

test("keys of others can't be listed or revoked", async () => {
  const other = world.as(await world.enter('elsewhere', 'owner@other.example', 'other'))
  const { body: key } = await api.post('/v0/api_keys').send({ name: 'mine' })
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'private' })

  const revoke = await other.delete(`/v0/api_keys/${key.id}`)
  const list = await other.get('/v0/api_keys')
  const foreign = await other.get(`/v0/service_accounts/${account.clientId}/api_keys`)

  expect([revoke.status, foreign.status]).toEqual([404, 404])
  expect(JSON.stringify(list.body)).not.toContain(key.id)
})

test('no key and no client secret is stored in plain text', async () => {
  const { body: key } = await api.post('/v0/api_keys').send({ name: 'hidden' })
  const { body: account } = await api.post('/v0/service_accounts').send({ name: 'hidden' })

  const { rows } = await world.pool.query(
    `select (select string_agg(k::text, '') from api_keys k) || (select string_agg(s::text, '') from service_accounts s) as text`,
  )

  for (const secret of [key.apiKey, account.clientSecret]) {
    expect(rows[0].text).not.toContain(secret)
    expect(rows[0].text).not.toContain(Buffer.from(secret).toString('hex'))
  }
})
