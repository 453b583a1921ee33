// Every request to a function reads the database; unchanged rows are not sent again.
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { postgresFunctionConnections } from '../../../src/platform/control-plane/adapters/function-connections.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

let read: ReturnType<typeof postgresFunctionConnections>

afterAll(() => world.close())

const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'secret', REFRESH_TOKEN: 'refresh' }
const connection = (name: string, more = {}) => ({
  metadata: { name },
  spec: { integration: 'google-drive', secret: { ...secret, ...more } },
})

const world = await platformWorld()
const api = world.as(world.admin)
for (const name of ['one', 'two']) await api.post('/v0/integrations/connections').send(connection(name)).expect(200)

const functionOf = (...integrationConnections: string[]) => ({
  metadata: { name: 'reader' },
  spec: { type: 'mcp', integrationConnections },
})

beforeEach(async () => {
  await api.post('/v0/functions').send(functionOf('two', 'one')).expect(200)
  // The deployment updates the row.
  await vi.waitFor(async () => expect((await api.get('/v0/functions/reader')).body.status).toBe('DEPLOYED'))
  read = postgresFunctionConnections(world.pool)
})

afterEach(() => api.delete('/v0/functions/reader').expect(200))

const names = async () => (await read('acme', 'reader'))?.connections.map(({ name }) => name)

test('an unchanged function is the same object', async () => {
  const first = await read('acme', 'reader')

  expect(first).toMatchObject({ found: { name: 'reader' }, connections: [{ name: 'two' }, { name: 'one' }] })
  expect(await read('acme', 'reader')).toBe(first)
})

test('evicts rows, and the secrets opened for them, after an idle minute', async () => {
  const first = await read('acme', 'reader')
  const begun = performance.now()
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())

  clock.mockReturnValue(begun + 59_000)
  expect(await read('acme', 'reader')).toBe(first)
  clock.mockReturnValue(begun + 59_000 + 61_000)
  expect(await read('acme', 'reader')).not.toBe(first)
  expect(await read('acme', 'reader')).toEqual(first)
})

test('returns a new object only for a changed row', async () => {
  const first = await read('acme', 'reader')
  await api
    .put('/v0/integrations/connections/one')
    .send(connection('one', { REFRESH_TOKEN: 'newer' }))
    .expect(200)

  const second = await read('acme', 'reader')

  expect(second?.connections[1]).not.toEqual(first?.connections[1])
  expect(second?.connections[0]).toBe(first?.connections[0])
  expect(second?.found).toBe(first?.found)
})

test('sees a write that does not change the version, such as a replaced token', async () => {
  await read('acme', 'reader')
  await world.pool.query(`update resources set sealed = sealed || '=' where workspace = 'acme' and name = 'two'`)

  expect((await read('acme', 'reader'))?.connections[0]?.sealed).toMatch(/=$/)
})

test("returns connections in the order of the function's spec", async () => {
  expect(await names()).toEqual(['two', 'one'])
  await api.put('/v0/functions/reader').send(functionOf('one', 'two')).expect(200)
  expect(await names()).toEqual(['one', 'two'])
  await api.put('/v0/functions/reader').send(functionOf('one')).expect(200)
  expect(await names()).toEqual(['one'])
  await api.put('/v0/functions/reader').send(functionOf('two')).expect(200)
  expect(await names()).toEqual(['two'])
  await api.put('/v0/functions/reader').send(functionOf()).expect(200)
  expect(await names()).toEqual([])
})

test('a deleted function is not found, and a new one of the same name has another ID', async () => {
  const first = await read('acme', 'reader')
  await api.delete('/v0/functions/reader').expect(200)
  expect(await read('acme', 'reader')).toBeUndefined()

  await api.post('/v0/functions').send(functionOf('two', 'one')).expect(200)
  expect((await read('acme', 'reader'))?.found.id).not.toBe(first?.found.id)
})

test('names with quotes or slashes do not collide in the cache', async () => {
  await read('acme', 'reader')

  expect(await read('acme","reader', '')).toBeUndefined()
  expect(await read('', 'acme/reader')).toBeUndefined()
})

test('a row that is restored with the same ID and version gets a new revision', async () => {
  const first = await read('acme', 'reader')
  const deleted = await world.pool.query(
    `delete from resources where workspace = 'acme' and name = 'reader' returning *`,
  )
  const columns = `id, workspace, kind, parent, name, display_name, labels, spec, state, sealed, status, events, search,
    version, created_at, updated_at, created_by, updated_by`
  await world.pool.query(
    `insert into resources (${columns}) select ${columns} from jsonb_populate_record(null::resources, $1)`,
    [JSON.stringify({ ...deleted.rows[0], display_name: 'Restored' })],
  )

  const second = await read('acme', 'reader')

  expect(second?.found).toEqual({ ...first?.found, displayName: 'Restored' })
})

test('a connection removed in one process is missing from the next read in another', async () => {
  const other = postgresFunctionConnections(world.pool)
  await other('acme', 'reader')
  await names()
  await world.pool.query(
    `update resources set spec = jsonb_set(spec, '{integrationConnections}', '["two"]') where workspace = 'acme' and name = 'reader'`,
  )

  expect(await names()).toEqual(['two'])
  expect((await other('acme', 'reader'))?.connections.map(({ name }) => name)).toEqual(['two'])
})

test('retries a read if another statement made its batch fail', async () => {
  const refused = Object.assign(new Error('missing chunk of a value'), { code: 'XX001' })
  let batches = 0
  const query = (batch: never, done: (error?: Error) => void) =>
    ++batches === 1 ? done(refused) : world.pool.query(batch, done as never)
  read = postgresFunctionConnections({ query } as never)

  expect(await Promise.all([names(), read('acme', 'nobody')])).toEqual([['two', 'one'], undefined])
})
