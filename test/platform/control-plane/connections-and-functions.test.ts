import { afterAll, expect, test } from 'vitest'
import { IntegrationConnection } from '../../../src/contract/control-plane/integration-connection.ts'
import { McpFunction } from '../../../src/contract/control-plane/workloads.ts'
import { startThirdParty } from '../../support/doubles/third-party.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { keysOf, platformWorld } from '../../support/worlds/platform-world.ts'

const filebox = await startThirdParty()
const world = await platformWorld({ integrations: [filebox.integration] })

afterAll(async () => {
  await world.close()
  await filebox.close()
})

const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'hush', REFRESH_TOKEN: 'refresh-1' }
const connection = (name: string) => ({
  metadata: { name, displayName: 'Files', labels: { link: 'l1' } },
  spec: { integration: 'filebox', secret },
})
const discovered = { issuer: 'https://vendor.example', token_endpoint: 'https://vendor.example/token' }
const mcpFunction = (name: string, ...connections: string[]) => ({
  metadata: { name, displayName: 'Files' },
  spec: { type: 'mcp', integrationConnections: connections, runtime: { type: 'mcp' } },
})

test('a connection is created, read and listed with its labels and all secrets masked', async () => {
  const api = world.as(world.admin)

  const created = await api.post('/v0/integrations/connections').send(connection('read-me'))
  const read = await api.get('/v0/integrations/connections/read-me')
  const listed = await api.get('/v0/integrations/connections')

  expect(created.status).toBe(200)
  expect(read.body).toEqual(created.body)
  expect(IntegrationConnection.parse(read.body).metadata).toMatchObject({
    name: 'read-me',
    displayName: 'Files',
    labels: { link: 'l1' },
    workspace: 'acme',
    createdBy: 'admin@acme.example',
  })
  expect(read.body.spec.secret).toEqual({ CLIENT_ID: '********', CLIENT_SECRET: '********', REFRESH_TOKEN: '********' })
  expect(listed.body).toContainEqual(read.body)
})

test('no secret of a connection is stored in plain text', async () => {
  await world.as(world.admin).post('/v0/integrations/connections').send(connection('sealed')).expect(200)

  const { rows } = await world.pool.query(`select row_to_json(r)::text as text from resources r where name = 'sealed'`)

  expect(rows[0].text).not.toMatch(/hush|refresh-1/)
})

test('a taken name gets 409, and nothing is overwritten', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/integrations/connections').send(connection('taken')).expect(200)

  const before = await api.get('/v0/integrations/connections/taken')
  const other = { metadata: { name: 'taken', displayName: 'Other' }, spec: { integration: 'filebox', secret: {} } }
  const again = await api.post('/v0/integrations/connections').send(other)
  const after = await api.get('/v0/integrations/connections/taken')

  expect(again.status).toBe(409)
  expect(after.body).toEqual(before.body)
  expect(again.body).toEqual({ code: 409, error: 'conflict', message: 'This name is taken.' })
})

test('an update replaces secrets, and a mask keeps the stored secret', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/integrations/connections').send(connection('replaced')).expect(200)
  const { body } = await api.get('/v0/integrations/connections/replaced')
  body.spec.secret.REFRESH_TOKEN = 'refresh-2'

  await api.put('/v0/integrations/connections/replaced').send(body).expect(200)

  const stored = await world.adapters.resources.find(key('integrationconnection', 'replaced'))
  const opened = world.adapters.vault.open(stored?.sealed ?? '', `resource|acme|${stored?.id}`).reveal()
  expect(JSON.parse(opened)).toEqual({
    '/secret/CLIENT_ID': 'client',
    '/secret/CLIENT_SECRET': 'hush',
    '/secret/REFRESH_TOKEN': 'refresh-2',
  })
})

test.each([
  ['another integration', { integration: 'other' }],
  ['another token endpoint', { config: { ...discovered, token_endpoint: 'https://evil.example/token' } }],
  ['another issuer', { config: { ...discovered, issuer: 'https://evil.example' } }],
  ['no discovered server', { config: { account: 'me' } }],
])('an update to %s requires the secrets instead of masks', async (what, changed) => {
  const api = world.as(world.admin)
  const name = what.replaceAll(' ', '-')
  const path = `/v0/integrations/connections/${name}`
  const { metadata, spec } = connection(name)
  const first = { metadata, spec: { ...spec, config: { ...discovered, account: 'me' } } }
  await api.post('/v0/integrations/connections').send(first).expect(200)
  const before = (await api.get(path)).body
  const put = (given: object) => api.put(path).send({ metadata, spec: { ...first.spec, ...changed, secret: given } })

  const masked = await put(before.spec.secret)
  const partly = await put({ ...secret, REFRESH_TOKEN: '********' })
  const after = (await api.get(path)).body
  const whole = await put(secret)

  const message = 'Send the secrets again: they would go to another server.'
  expect([masked.status, masked.body.message]).toEqual([400, message])
  expect([partly.status, partly.body.message]).toEqual([400, message])
  expect(after).toEqual(before)
  expect(whole.status).toBe(200)
})

test.each([
  ['changed', { BASE_URL: 'https://evil.example/v1', API_KEY: '********' }],
  ['added under another name', { BASE_URL: '********', ENDPOINT: 'https://evil.example/v1', API_KEY: '********' }],
  ['left out', { API_KEY: '********' }],
])('the key of a model’s API is not kept when its address is %s', async (what, given) => {
  const api = world.as(world.admin)
  const name = `model-${what.length}`
  const path = `/v0/integrations/connections/${name}`
  const of = (secret: object) => ({ metadata: { name }, spec: { integration: 'openai', secret } })
  const first = { BASE_URL: 'https://api.example/v1', API_KEY: 'CANARY-key' }
  await api.post('/v0/integrations/connections').send(of(first)).expect(200)

  const kept = await api.put(path).send(of(given))
  const unchanged = await api.put(path).send((await api.get(path)).body)
  const whole = await api
    .put(path)
    .send(of({ ...given, BASE_URL: 'https://evil.example/v1', API_KEY: 'another', ENDPOINT: 'x' }))

  expect([kept.status, kept.body.message]).toEqual([400, expect.stringContaining('Send the secrets again')])
  expect([unchanged.status, whole.status]).toEqual([200, 200])
})

test('an update of fields unrelated to the address accepts masks', async () => {
  const api = world.as(world.admin)
  const { metadata, spec } = connection('renamed')
  const config = { ...discovered, account: 'me' }
  await api
    .post('/v0/integrations/connections')
    .send({ metadata, spec: { ...spec, config } })
    .expect(200)
  const { body } = await api.get('/v0/integrations/connections/renamed')
  body.spec.config.account = 'you'

  await api.put('/v0/integrations/connections/renamed').send(body).expect(200)
})

test('a function goes from DEPLOYING to DEPLOYED and has its URL', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/integrations/connections').send(connection('deploys')).expect(200)

  const created = await api.post('/v0/functions').send(mcpFunction('deploys', 'deploys'))

  expect(created.status).toBe(200)
  expect(McpFunction.parse(created.body).status).toBe('DEPLOYING')
  expect(created.body.metadata.url).toBe('http://127.0.0.1:3100/acme/functions/deploys')
  const deployed = await waitFor('the function is deployed', async () => {
    const { body } = await api.get('/v0/functions/deploys')
    return body.status === 'DEPLOYED' && body
  })
  expect(deployed.events.map(({ status }: { status: string }) => status)).toEqual(['DEPLOYING', 'DEPLOYED'])
})

test('a function with a missing connection becomes FAILED with an event that explains the fix', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/functions').send(mcpFunction('lost', 'nowhere')).expect(200)

  const failed = await waitFor('the function failed', async () => {
    const { body } = await api.get('/v0/functions/lost')
    return body.status === 'FAILED' && body
  })

  expect(failed.events.at(-1).message).toContain('There is no integration connection nowhere')
})

test('a disabled function goes to DEACTIVATED', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/functions').send(mcpFunction('resting')).expect(200)
  const off = { ...mcpFunction('resting'), spec: { ...mcpFunction('resting').spec, enabled: false } }

  const put = await api.put('/v0/functions/resting').send(off)

  expect(put.body.status).toBe('DEACTIVATING')
  await waitFor('it rests', async () => (await api.get('/v0/functions/resting')).body.status === 'DEACTIVATED')
})

test('another process finishes a deployment that a stopped process left behind', async () => {
  const stopped = await platformWorld({
    env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: keysOf(world) },
    adapters: { now: () => new Date(Date.now() - 60_000) },
  })
  await stopped.as(stopped.admin).post('/v0/functions').send(mcpFunction('stranded')).expect(200)
  await waitFor(
    'it is deployed',
    async () => (await world.as(world.admin).get('/v0/functions/stranded')).body.status === 'DEPLOYED',
  )
  await world.pool.query(`update resources set status = 'DEPLOYING' where name = 'stranded'`)
  await stopped.close()

  await world.settle()

  const { body } = await world.as(world.admin).get('/v0/functions/stranded')
  expect(body.status).toBe('DEPLOYED')
})

test('a connection cannot be deleted while a function uses it', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/integrations/connections').send(connection('referenced')).expect(200)
  await api.post('/v0/functions').send(mcpFunction('referrer', 'referenced')).expect(200)

  const refused = await api.delete('/v0/integrations/connections/referenced')
  const gone = await api.delete('/v0/functions/referrer')
  const allowed = await api.delete('/v0/integrations/connections/referenced')

  expect([refused.status, refused.body.message]).toEqual([409, 'It is in use by function referrer.'])
  expect([gone.status, gone.body.status]).toEqual([200, 'DELETING'])
  expect(allowed.status).toBe(200)
  await api.get('/v0/integrations/connections/referenced').expect(404)
})

test('a concurrent delete of a connection and create of a function that uses it stay consistent', async () => {
  const api = world.as(world.admin)
  const names = Array.from({ length: 12 }, (_, at) => `passing-${at}`)
  await Promise.all(names.map((name) => api.post('/v0/integrations/connections').send(connection(name)).expect(200)))

  const pairs = await Promise.all(
    names.map((name) =>
      Promise.all([
        api.delete(`/v0/integrations/connections/${name}`),
        api.post('/v0/functions').send(mcpFunction(name, name)),
      ]),
    ),
  )

  for (const [at, [deleted]] of pairs.entries()) {
    const settled = await waitFor('it is settled', async () => {
      const { body } = await api.get(`/v0/functions/${names[at]}`)
      return body.status !== 'DEPLOYING' && body.status
    })
    expect([deleted.status, settled]).toEqual(deleted.status === 200 ? [200, 'FAILED'] : [409, 'DEPLOYED'])
  }
})

const key = (kind: string, name: string) => ({ workspace: 'acme', kind, parent: '', name })
