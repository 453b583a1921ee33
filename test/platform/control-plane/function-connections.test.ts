// What a request to a function reads: always from the database, and nothing twice that has not changed.
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { postgresFunctionConnections } from '../../../src/platform/control-plane/adapters/function-connections.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let api: ReturnType<PlatformWorld['as']>
let read: ReturnType<typeof postgresFunctionConnections>

beforeAll(async () => {
  world = await platformWorld()
  api = world.as(world.admin)
  for (const name of ['one', 'two']) await api.post('/v0/integrations/connections').send(connection(name)).expect(200)
})

afterAll(() => world.close())

const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'secret', REFRESH_TOKEN: 'refresh' }
const connection = (name: string, more = {}) => ({
  metadata: { name },
  spec: { integration: 'google-drive', secret: { ...secret, ...more } },
})
const functionOf = (...integrationConnections: string[]) => ({
  metadata: { name: 'reader' },
  spec: { type: 'mcp', integrationConnections },
})

beforeEach(async () => {
  await api.post('/v0/functions').send(functionOf('two', 'one')).expect(200)
  // Its deployment writes to it once more.
  await vi.waitFor(async () => expect((await api.get('/v0/functions/reader')).body.status).toBe('DEPLOYED'))
  read = postgresFunctionConnections(world.pool)
})

afterEach(() => api.delete('/v0/functions/reader').expect(200))

const names = async () => (await read('acme', 'reader'))?.connections.map(({ name }) => name)

test('what has not changed is the same object', async () => {
  const first = await read('acme', 'reader')

  expect(first).toMatchObject({ found: { name: 'reader' }, connections: [{ name: 'two' }, { name: 'one' }] })
  expect(await read('acme', 'reader')).toBe(first)
})

test('what nobody has asked for in a minute is forgotten, with the secrets that were opened for it', async () => {
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

test('of what was written to, and of nothing else, there is another object', async () => {
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

test('a write that changes no version, as that of a token that was replaced, is seen', async () => {
  await read('acme', 'reader')
  await world.pool.query(`update resources set sealed = sealed || '=' where workspace = 'acme' and name = 'two'`)

  expect((await read('acme', 'reader'))?.connections[0]?.sealed).toMatch(/=$/)
})

test('connections come and go, in the order in which the function names them', async () => {
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

test('what is deleted is gone, and what is made anew under its name is another', async () => {
  const first = await read('acme', 'reader')
  await api.delete('/v0/functions/reader').expect(200)
  expect(await read('acme', 'reader')).toBeUndefined()

  await api.post('/v0/functions').send(functionOf('two', 'one')).expect(200)
  expect((await read('acme', 'reader'))?.found.id).not.toBe(first?.found.id)
})

test('names with signs of other names are kept apart', async () => {
  await read('acme', 'reader')

  expect(await read('acme","reader', '')).toBeUndefined()
  expect(await read('', 'acme/reader')).toBeUndefined()
})

test('rows of one transaction that the database moves to the places of each other are not mistaken', async () => {
  const compact = () => world.pool.query('vacuum full resources')
  await world.pool.query('update resources set sealed = sealed')
  await compact()
  expect(await names()).toEqual(['two', 'one'])

  // Every other row moves to the place of the one before it.
  await world.pool.query('update resources set sealed = sealed where ctid = (select min(ctid) from resources)')
  await compact()

  expect(await names()).toEqual(['two', 'one'])
})

test('a read that travelled with one that failed is asked again', async () => {
  const refused = Object.assign(new Error('missing chunk of a value'), { code: 'XX001' })
  let batches = 0
  const query = (batch: never, done: (error?: Error) => void) =>
    ++batches === 1 ? done(refused) : world.pool.query(batch, done as never)
  read = postgresFunctionConnections({ query } as never)

  expect(await Promise.all([names(), read('acme', 'nobody')])).toEqual([['two', 'one'], undefined])
})
