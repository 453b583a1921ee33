import { afterAll, beforeEach, expect, test } from 'vitest'
import { postgresAccruals } from '../../../src/platform/billing/adapters/accruals.ts'
import { accrue } from '../../../src/platform/billing/flows/accrue.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { keysOf, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

const hourMs = 3_600_000
let now: Date
let snapshotBytes = 0
let imageBytes: number | undefined

// Only the test accrues, at the times it chooses.
const accruals = {
  ...{ accrue: async () => 0, snapshots: async () => [], setSize: async () => {} },
  ...{ unmeasuredImages: async () => [], setImageSize: async () => {} },
}
const world = await platformWorld({ env: { IMAGE_MB: '512' }, adapters: { now: () => now, accruals } })

afterAll(() => world.close())

beforeEach(async () => {
  now = new Date('2026-03-02T10:20:00Z')
  snapshotBytes = 0
  imageBytes = undefined
  await world.pool.query('delete from resources')
  for (const table of ['usage_meters', 'usage_hours', 'usage_days', 'usage_months', 'usage_series', 'usage_events']) {
    await world.pool.query(`delete from ${table}`)
  }
})

const create = async (path: string, name: string, spec: object) => {
  const { status, body } = await world.as(world.admin).post(`/v0/${path}`).send({ metadata: { name }, spec })
  expect([status, body.message]).toEqual([200, undefined])
}

const settled = (path: string, status: string) =>
  waitFor(`it is ${status}`, async () => (await world.as(world.admin).get(`/v0/${path}/one`)).body.status === status)

const accrueAt = async (at: string) => {
  now = new Date(at)
  const { pool, config } = world
  const accruals = postgresAccruals(pool, config)
  await accrue({ accruals, snapshotSize: async () => snapshotBytes, imageSize: async () => imageBytes, now: () => now })
}

const billed = async (dimension: string) => {
  const { rows } = await world.pool.query(
    `select started_at, trim_scale(quantity)::text as quantity from usage_events where dimension = $1 order by started_at`,
    [dimension],
  )
  return rows.map(({ started_at, quantity }) => [started_at.toISOString().slice(8, 16), quantity])
}

const sums = async (table: string) => {
  const { rows } = await world.pool.query(`select trim_scale(sum(usage))::text as usage from ${table}`)
  return rows[0].usage
}

test('a volume is billed by the hour, even after days without accrual', async () => {
  await create('volumes', 'disk', { region: 'local', size: 2_048 })

  await accrueAt('2026-03-02T12:07:30Z')
  const first = await billed('volume_storage_gbs')
  await accrueAt('2026-03-05T00:00:00Z')

  expect(first).toEqual([
    ['02T10:20', String(2 * 40 * 60)],
    ['02T11:00', String(2 * 3_600)],
    ['02T12:00', String(2 * 300)],
  ])
  const seconds = (Date.parse('2026-03-05T00:00:00Z') - Date.parse('2026-03-02T10:20:00Z')) / 1000
  expect(await Promise.all(['usage_hours', 'usage_days', 'usage_months'].map(sums))).toEqual(
    Array(3).fill(String(2 * seconds)),
  )
})

test('concurrent and repeated accruals bill the same time once', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => create('volumes', name, { size: 1_024 })))

  await Promise.all(Array.from({ length: 6 }, () => accrueAt('2026-03-02T14:20:00Z')))
  await accrueAt('2026-03-02T14:20:00Z')

  expect(await sums('usage_days')).toBe(String(4 * 4 * 3_600))
})

test('a volume deleted between two accruals is billed up to its deletion', async () => {
  now = new Date(Date.now() - 2 * hourMs)
  await create('volumes', 'disk', { size: 1_024 })
  const createdAt = now.getTime()
  await world.as(world.admin).delete('/v0/volumes/disk')

  await accrueAt(new Date(Date.now() + 24 * hourMs).toISOString())

  const lived = Number(await sums('usage_hours'))
  expect(Math.abs(lived - (Date.now() - createdAt) / 1000)).toBeLessThan(30)
  expect((await world.pool.query('select from usage_meters')).rowCount).toBe(0)
})

test.each([
  ['sandboxes', 'sandbox_image_storage_gbs'],
  ['agents', 'agent_image_storage_gbs'],
  ['jobs', 'job_image_storage_gbs'],
  ['functions', 'mcp_server_image_storage_gbs'],
])('the image of %s is billed as %s at the configured size', async (path, dimension) => {
  await create(path, 'one', { runtime: { image: 'local/echo' } })
  await settled(path, 'DEPLOYED')

  await accrueAt('2026-03-02T10:30:00Z')

  expect(await billed(dimension)).toEqual([['02T10:20', String(0.5 * 600)]])
})

test('a failed workload is not billed for its image until it is deployed', async () => {
  const client = world.as(world.admin)
  const put = (image: string, enabled = true) =>
    replaceResource(client, 'agents', 'one', { enabled, runtime: { image } })
  await create('agents', 'one', { runtime: { image: 'acme/unheard' } })
  await settled('agents', 'FAILED')
  await accrueAt('2026-03-02T10:30:00Z')
  const failed = await billed('agent_image_storage_gbs')

  await put('local/echo')
  await settled('agents', 'DEPLOYED')
  await accrueAt('2026-03-02T10:40:00Z')
  await put('local/echo', false)
  await settled('agents', 'DEACTIVATED')
  await accrueAt('2026-03-02T10:50:00Z')
  await put('acme/unheard')
  await settled('agents', 'FAILED')
  const open = await world.pool.query('select from usage_meters where ended_at is null')

  expect(failed).toEqual([])
  expect(await billed('agent_image_storage_gbs')).toEqual([
    ['02T10:30', '300'],
    ['02T10:40', '300'],
  ])
  expect(open.rowCount).toBe(0)
})

test('a workload without an image is not billed for one', async () => {
  await create('agents', 'one', {})

  await accrueAt('2026-03-02T10:30:00Z')

  expect(await billed('agent_image_storage_gbs')).toEqual([])
})

test('a sandbox is billed for its storage at the size at the start of the period', async () => {
  await create('sandboxes', 'box', { runtime: { image: 'local/echo' } })
  snapshotBytes = 1024 ** 3
  await accrueAt('2026-03-02T10:30:00Z')
  snapshotBytes = 3 * 1024 ** 3

  await accrueAt('2026-03-02T10:40:00Z')

  expect(await billed('sandbox_snapshot_storage_gbs')).toEqual([['02T10:30', '600']])
})

test('P9: a custom domain is billed for the time it exists', async () => {
  await create('customdomains', 'shop', { domain: 'shop.acme.example' })

  await accrueAt('2026-03-02T10:30:00Z')
  await accrueAt('2026-03-02T10:50:00Z')
  await accrueAt('2026-03-02T12:10:00Z')

  expect(await billed('custom_domain_active_time_hours')).toEqual([
    ['02T10:20', '0.16666666666666666667'],
    ['02T10:30', '0.33333333333333333333'],
    ['02T10:50', '0.16666666666666666667'],
    ['02T11:00', '1'],
    ['02T12:00', '0.16666666666666666667'],
  ])
})

test('P9: deleted resources are billed immediately, including those of a deleted workspace', async () => {
  const { pool, config } = world
  const own = await platformWorld({
    env: { DATABASE_URL: config.databaseUrl, ENCRYPTION_KEYS: keysOf(world) },
    adapters: { accruals: postgresAccruals(pool, config) },
  })
  const short = await own.enter('brief', 'admin@acme.example')
  const disk = { metadata: { name: 'disk' }, spec: { size: 1_024 } }
  await own.as(own.admin).post('/v0/volumes').send(disk).expect(200)
  await own.as(short).post('/v0/volumes').send(disk).expect(200)

  await own.as(own.admin).delete('/v0/volumes/disk').expect(200)
  await own.as(short).delete('/v0/workspaces/brief').expect(200)

  // The clock of the program would come to it after half a minute.
  const meters = async () => (await pool.query('select from usage_meters')).rowCount
  await waitFor('both meters are billed', async () => (await meters()) === 0, { withinMs: 20_000 })
  expect(await billed('volume_storage_gbs')).toHaveLength(2)
  await own.close()
})

test('deleting a workspace ends its meters, and its account is still billed', async () => {
  const other = await world.enter('short-lived', 'admin@acme.example')
  now = new Date(Date.now() - hourMs)
  await world
    .as(other)
    .post('/v0/volumes')
    .send({ metadata: { name: 'disk' }, spec: { size: 1_024 } })
  await world.as(other).delete('/v0/workspaces/short-lived')

  await accrueAt(new Date().toISOString())

  const { rows } = await world.pool.query('select distinct account_id from usage_events')
  expect(rows).toEqual([{ account_id: other.accountId }])
})

test('asynchronous requests are counted', async () => {
  await create('agents', 'bot', { runtime: { image: 'local/echo' } })
  const client = world.as(world.admin)
  await waitFor('the agent is there', async () => {
    const { status } = await client.post('/acme/agents/bot?async=true').send({ inputs: 'hello' })
    return status === 200
  })
  const answered = await client.post('/acme/agents/bot?async=true').send({ inputs: 'again' })

  expect(answered.body).toEqual({ success: true })
  await waitFor('both are billed', async () => (await billed('agent_async_requests_count')).length >= 2)
  expect(await billed('agent_async_requests_count')).toHaveLength(2)
})

test('an image is billed by its size, once the engine knows it', async () => {
  await create('agents', 'one', { runtime: { image: 'local/echo' } })
  await settled('agents', 'DEPLOYED')

  await accrueAt('2026-03-02T11:20:00Z')
  const configured = await billed('agent_image_storage_gbs')
  imageBytes = 2 * 1024 * 1024 * 1024
  await accrueAt('2026-03-02T12:20:00Z')
  const measured = (await billed('agent_image_storage_gbs')).slice(configured.length)

  const total = (parts: string[][]) => parts.reduce((sum, [, quantity]) => sum + Number(quantity), 0)
  expect([total(configured), total(measured)]).toEqual([0.5 * 3_600, 2 * 3_600])
})
