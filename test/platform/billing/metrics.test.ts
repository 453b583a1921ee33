import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { type BillingDimension, billingDimensions } from '../../../src/contract/billing/metrics.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { meter, oneDollarEach, used } from '../../support/worlds/metered.ts'
import { keysOf, platformWorld } from '../../support/worlds/platform-world.ts'

const prices = join(temporaryFolder(), 'prices.json')
writeFileSync(prices, JSON.stringify({ prices: oneDollarEach }))
const world = await platformWorld({ env: { PRICES_FILE: prices } })
await world.enter('beta', 'admin@acme.example')
const member = (await world.join('acme', 'user@acme.example', 'member')).key
await world.pool.query(
  "update account_members set role = 'member' where user_id = (select id from users where email = $1)",
  ['user@acme.example'],
)
await meter(world.pool, [
  used({ at: '2026-03-02T00:00:00.000Z', quantity: 1 }),
  used({ at: '2026-03-02T00:59:59.999Z', quantity: 2 }),
  used({ at: '2026-03-02T01:00:00.000Z', quantity: 4 }),
  used({ at: '2026-03-03T12:00:00.000Z', quantity: 8, workspace: 'beta', name: 'bot' }),
  used({ at: '2026-03-03T12:00:00.000Z', quantity: 16, dimension: 'volume_storage_gbs', name: 'disk' }),
  used({ at: '2026-03-04T00:00:00.000Z', quantity: 32, dimension: 'agent_async_requests_count' }),
])

afterAll(() => world.close())

type Query = Record<string, string | undefined>

const week = { startTime: '2026-03-02T00:00:00Z', endTime: '2026-03-04T00:00:00Z' }

const ask = (query: Query, key = world.admin.key) =>
  request(world.app)
    .get(`/v0/accounts/${world.admin.accountId}/metrics`)
    .auth(key, { type: 'bearer' })
    .query(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)))

type Entry = Record<string, string> & { summary: object; timeseries: Array<{ timestamp: string; cost: number }> }

const entries = async (query: Query) => {
  const { status, body } = await ask({ ...week, ...query })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data as Entry[]
}

const withoutSeries = ({ timeseries: _, ...entry }: Entry) => entry

describe('the window', () => {
  test('includes its start and excludes its end', async () => {
    const { body } = await ask({ startTime: '2026-03-02T00:59:59.999Z', endTime: '2026-03-02T01:00:00Z' })

    expect(body.summary).toEqual({ totalCost: 2 })
  })

  test('that begins and ends within an hour counts these hours in part, in buckets of full hours', async () => {
    const { body } = await ask({ startTime: '2026-03-02T00:30:00Z', endTime: '2026-03-02T01:00:00.001Z' })

    expect(body.data[0].timeseries).toEqual([
      { timestamp: '2026-03-02T00:00:00.000Z', cost: 2 },
      { timestamp: '2026-03-02T01:00:00.000Z', cost: 4 },
    ])
  })

  test('is echoed as requested', async () => {
    const { body } = await ask({ startTime: '2026-03-02T00:00:00+00:00', endTime: '2026-03-02T01:00:00.5Z' })

    expect([body.startTime, body.endTime]).toEqual(['2026-03-02T00:00:00+00:00', '2026-03-02T01:00:00.5Z'])
  })

  test('P9: may be written in lowercase', async () => {
    const { status, body } = await ask({ startTime: '2026-03-02t00:00:00z', endTime: '2026-03-02t01:00:00+00:00' })

    expect([status, body.startTime]).toEqual([200, '2026-03-02T00:00:00Z'])
  })

  test('has a bucket for each step, with zeros if unused', async () => {
    const [entry] = await entries({ resolution: 'hourly' })

    expect(entry!.timeseries).toHaveLength(48)
    expect(entry!.timeseries.filter(({ cost }) => cost > 0).map(({ timestamp, cost }) => [timestamp, cost])).toEqual([
      ['2026-03-02T00:00:00.000Z', 3],
      ['2026-03-02T01:00:00.000Z', 4],
      ['2026-03-03T12:00:00.000Z', 24],
    ])
  })

  test.each([
    ['2026-03-01T00:00:00Z', '2026-03-07T23:59:59Z', 'hourly'],
    ['2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z', 'daily'],
    ['2026-03-01T00:00:00Z', '2026-05-29T23:59:59Z', 'daily'],
    ['2026-03-01T00:00:00Z', '2026-05-30T00:00:00Z', 'weekly'],
    ['2026-03-01T00:00:00Z', '2027-02-28T23:59:59Z', 'weekly'],
    ['2026-03-01T00:00:00Z', '2027-03-01T00:00:00Z', 'monthly'],
    ['2024-01-01T00:00:00Z', '2024-12-31T23:59:59Z', 'weekly'],
    ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', 'monthly'],
  ])('from %s to %s has the default resolution %s', async (startTime, endTime, resolution) => {
    const { body } = await ask({ startTime, endTime })

    expect(body.resolution).toBe(resolution)
  })

  test.each([
    ['hourly', '2026-03-08T00:00:00Z', '2026-03-08T00:00:00.001Z'],
    ['daily', '2026-05-30T00:00:00Z', '2026-05-30T00:00:01Z'],
    ['weekly', '2027-03-01T00:00:00Z', '2027-03-01T00:00:01Z'],
  ])('has a max length for %s', async (resolution, longest, tooLong) => {
    const startTime = '2026-03-01T00:00:00Z'

    const [fits, exceeds] = [
      await ask({ startTime, endTime: longest, resolution }),
      await ask({ startTime, endTime: tooLong, resolution }),
    ]

    expect([fits.status, exceeds.status]).toEqual([200, 400])
    expect(exceeds.body.message).toContain('resolution')
  })

  test('is unlimited for months, with fewer groups per page', async () => {
    const { body } = await ask({
      startTime: '0001-01-01T00:00:00Z',
      endTime: '2999-12-31T00:00:00Z',
      groupBy: 'resource_name',
    })

    expect(body.data[0].timeseries).toHaveLength(2_999 * 12)
    expect([body.data.length, body.meta.hasMore, body.summary.totalCost]).toEqual([1, true, 63])
  })

  test('cuts weeks on Mondays and months on their first day, in UTC', async () => {
    const asked = { startTime: '2026-02-25T06:00:00Z', endTime: '2026-03-10T00:00:00Z' }

    const [weeks, months] = [
      await ask({ ...asked, resolution: 'weekly' }),
      await ask({ ...asked, resolution: 'monthly' }),
    ]

    expect(weeks.body.data[0].timeseries).toEqual([
      { timestamp: '2026-02-23T00:00:00.000Z', cost: 0 },
      { timestamp: '2026-03-02T00:00:00.000Z', cost: 63 },
      { timestamp: '2026-03-09T00:00:00.000Z', cost: 0 },
    ])
    expect(months.body.data[0].timeseries).toEqual([
      { timestamp: '2026-02-01T00:00:00.000Z', cost: 0 },
      { timestamp: '2026-03-01T00:00:00.000Z', cost: 63 },
    ])
  })
})

describe('entries', () => {
  test('without a grouping are one entry without fields, also without usage', async () => {
    const { body } = await ask({ startTime: '2020-01-01T00:00:00Z', endTime: '2020-01-01T02:00:00Z' })

    expect(body).toEqual({
      startTime: '2020-01-01T00:00:00Z',
      endTime: '2020-01-01T02:00:00Z',
      resolution: 'hourly',
      summary: { totalCost: 0 },
      data: [
        {
          workspace: '',
          resourceType: '',
          resourceName: '',
          resourceUuid: '',
          billingDimension: '',
          summary: { cost: 0 },
          timeseries: [
            { timestamp: '2020-01-01T00:00:00.000Z', cost: 0 },
            { timestamp: '2020-01-01T01:00:00.000Z', cost: 0 },
          ],
        },
      ],
      meta: { hasMore: false, nextCursor: '' },
    })
  })

  const none = { workspace: '', resourceType: '', resourceName: '', resourceUuid: '', billingDimension: '' }
  const volume = { workspace: 'acme', resourceType: 'volume', resourceName: 'disk' }

  test.each([
    ['workspace', { ...none, workspace: 'acme', summary: { cost: 23 } }],
    ['resource_type', { ...none, resourceType: 'agent', summary: { cost: 15 } }],
    ['resource_name', { ...none, resourceType: 'agent', resourceName: 'bot', summary: { cost: 15 } }],
    ['resource_name', { ...none, ...volume, summary: { cost: 16 } }],
    ['resource_uuid', { ...none, ...volume, resourceUuid: 'acme-disk', summary: { cost: 16 } }],
    [
      'billing_dimension',
      { ...none, resourceType: 'volume', billingDimension: 'volume_storage_gbs', summary: { cost: 16, usage: 16 } },
    ],
    ['resource_type,workspace', { ...none, workspace: 'beta', resourceType: 'agent', summary: { cost: 8 } }],
    [
      'billing_dimension,resource_name,workspace',
      { ...none, ...volume, billingDimension: 'volume_storage_gbs', summary: { cost: 16, usage: 16 } },
    ],
  ])('grouped by %s have the documented fields', async (groupBy, expected) => {
    const found = await entries({ groupBy })

    expect(found.map(withoutSeries)).toContainEqual(expected)
  })

  test('do not depend on the order of the grouping', async () => {
    const orders = [
      'workspace,resource_name,resource_type',
      'resource_type, workspace, resource_name',
      'resource_name,resource_type,workspace',
    ]

    const [first, ...others] = await Promise.all(orders.map((groupBy) => entries({ groupBy })))

    for (const other of others) expect(other).toEqual(first)
    expect(first).toHaveLength(3)
  })

  test('have usage, in sums and in buckets, only if grouped by dimension', async () => {
    const [apart, together] = [
      await ask({ ...week, groupBy: 'billing_dimension' }),
      await ask({ ...week, groupBy: 'workspace' }),
    ]

    expect(apart.body.summary).toEqual({ totalCost: 31, totalUsage: 31 })
    expect(apart.body.data[0].timeseries[0]).toEqual({ timestamp: '2026-03-02T00:00:00.000Z', cost: 3, usage: 3 })
    expect(together.body.summary).toEqual({ totalCost: 31 })
    expect(together.body.data[0].summary).toEqual({ cost: 23 })
    expect(together.body.data[0].timeseries[0]).toEqual({ timestamp: '2026-03-02T00:00:00.000Z', cost: 3 })
  })

  test('are empty for a window without usage', async () => {
    const { body } = await ask({
      startTime: '2020-01-01T00:00:00Z',
      endTime: '2020-01-02T00:00:00Z',
      groupBy: 'workspace',
    })

    expect(body).toMatchObject({ data: [], summary: { totalCost: 0 }, meta: { hasMore: false, nextCursor: '' } })
  })

  test.each([
    [{ workspace: 'beta' }, 8],
    [{ resourceType: 'agent' }, 15],
    [{ resourceType: 'nothing-like-it' }, 0],
    [{ resourceName: 'disk' }, 16],
    [{ resourceUuid: 'acme-bot' }, 7],
    [{ billingDimension: 'volume_storage_gbs' }, 16],
    [{ workspace: 'beta', resourceType: 'volume' }, 0],
  ])('filtered by %j cost %d', async (filter, cost) => {
    const { body } = await ask({ ...week, ...filter })

    expect(body.summary.totalCost).toBe(cost)
  })
})

describe('pages', () => {
  test('list each group once, and each page has the sum of all groups', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const groupBy = seen.length === 0 ? 'resource_name,workspace' : 'workspace,resource_name'
      const { body } = await ask({ ...week, groupBy, limit: '1', cursor })
      expect([body.data.length, body.summary.totalCost]).toEqual([1, 31])
      seen.push(`${body.data[0].workspace}/${body.data[0].resourceName}`)
      cursor = body.meta.nextCursor
      expect(body.meta.hasMore).toBe(cursor !== '')
    } while (cursor)

    expect(seen).toEqual(['acme/bot', 'acme/disk', 'beta/bot'])
  })

  test('have at most 100 entries', async () => {
    const day = '2025-06-01T00:00:00Z'
    await meter(
      world.pool,
      Array.from({ length: 150 }, (_, at) => used({ at: day, name: `many-${at}` })),
    )
    const many = { startTime: day, endTime: '2025-06-01T01:00:00Z', groupBy: 'resource_name' }

    const sizes = await Promise.all(
      [undefined, '1000000', '99999999999999999999', '007'].map(
        async (limit) => (await ask({ ...many, limit })).body.data.length,
      ),
    )

    expect(sizes).toEqual([100, 100, 100, 7])
  })

  test.each([
    ['another grouping', { groupBy: 'workspace' }],
    ['another window', { endTime: '2026-03-05T00:00:00Z' }],
    ['another filter', { resourceType: 'agent' }],
    ['another resolution', { resolution: 'daily' }],
    ['no grouping', { groupBy: undefined }],
    ['a tampered cursor', { cursor: 'test.AAAA' }],
  ])('reject a cursor with %s', async (_, change) => {
    const first = { ...week, groupBy: 'resource_name', limit: '1' }
    const { body } = await ask(first)

    const refused = await ask({ ...first, cursor: body.meta.nextCursor, ...change })

    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_cursor'])
  })
})

test('a cursor expires after 24 hours', async () => {
  const first = { ...week, groupBy: 'resource_name', limit: '1' }
  const { body } = await ask(first)
  const path = `/v0/accounts/${world.admin.accountId}/metrics`
  const dayMs = 24 * 60 * 60 * 1000
  const statusAfter = async (ms: number) => {
    const later = new Date(Date.now() + ms)
    const other = await platformWorld({
      env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: keysOf(world), PRICES_FILE: prices },
      adapters: { now: () => later },
    })
    const query = { ...first, cursor: body.meta.nextCursor }
    const { status } = await request(other.app).get(path).auth(world.admin.key, { type: 'bearer' }).query(query)
    await other.close()
    return status
  }

  const statuses = [await statusAfter(dayMs - 60_000), await statusAfter(dayMs + 1_000)]

  expect(statuses).toEqual([200, 400])
})

describe('invalid parameters get 400 with their name', () => {
  test.each<[string, Query]>([
    ['startTime', { startTime: undefined }],
    ['endTime', { endTime: undefined }],
    ['startTime', { startTime: 'yesterday' }],
    ['startTime', { startTime: '2026-03-02' }],
    ['startTime', { startTime: '2026-03-02T00:00:00' }],
    ['startTime', { startTime: '2026-03-02T00:00:00+02:00' }],
    ['startTime', { startTime: '2026-02-30T00:00:00Z' }],
    ['endTime', { endTime: week.startTime }],
    ['endTime', { endTime: '2026-03-01T00:00:00Z' }],
    ['resolution', { resolution: 'yearly' }],
    ['resolution', { resolution: '' }],
    ['groupBy', { groupBy: '' }],
    ['groupBy', { groupBy: 'region' }],
    ['groupBy', { groupBy: 'workspace,' }],
    ['groupBy', { groupBy: 'workspace,workspace' }],
    ['groupBy', { groupBy: 'workspace,resource_type,resource_name,resource_uuid' }],
    ['billingDimension', { billingDimension: 'coffee' }],
    ['workspace', { workspace: '' }],
    ['limit', { limit: '0' }],
    ['limit', { limit: '-1' }],
    ['limit', { limit: 'ten' }],
    ['limit', { limit: '1.5' }],
    ['label', { label: 'team' }],
    ['label', { label: '' }],
    ['unit', { unit: 'gbs' }],
  ])('%s: %j', async (name, change) => {
    const { status, body } = await ask({ ...week, ...change })

    expect([status, body.code]).toEqual([400, 400])
    expect(body.message).toMatch(new RegExp(`^${name}:`))
  })

  test('a repeated parameter', async () => {
    const path = `/v0/accounts/${world.admin.accountId}/metrics?startTime=${week.startTime}&endTime=${week.endTime}`

    const { status } = await request(world.app)
      .get(`${path}&resolution=daily&resolution=hourly`)
      .auth(world.admin.key, { type: 'bearer' })

    expect(status).toBe(400)
  })
})

describe('rights', () => {
  test.each([{ workspace: 'acme' }, { groupBy: 'workspace' }, { groupBy: 'resource_type,workspace' }])(
    'a member of the account is 403 with %j, also as admin of a workspace',
    async (change) => {
      const { status, body } = await ask({ ...week, ...change }, member)

      expect([status, body.error]).toEqual([403, 'access_denied'])
      expect(body.message).toMatch(/access denied/i)
    },
  )

  test('a service account is a member, even as admin of its workspace', async () => {
    await world.addServiceAccount('robot', 'admin', 'robot-secret')
    const { body: token } = await request(world.app)
      .post('/oauth/token')
      .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret' })

    const apart = await ask({ ...week, groupBy: 'workspace' }, token.access_token)
    const together = await ask(week, token.access_token)

    expect([apart.status, together.status]).toEqual([403, 200])
  })

  test.each(['', '/enums/group-by', '/enums/resource-types'])('%s without a credential is 401', async (path) => {
    const { status } = await request(world.app).get(`/v0/accounts/${world.admin.accountId}/metrics${path}`).query(week)

    expect(status).toBe(401)
  })

  test.each(['', '/enums/group-by', '/enums/resource-types'])(
    '%s with a token that lacks the scope is 403',
    async (path) => {
      await world.pool.query("delete from service_accounts where client_id = 'narrow'")
      await world.addServiceAccount('narrow', 'admin', 'narrow-secret')
      const narrow = { grant_type: 'client_credentials', client_id: 'narrow', client_secret: 'narrow-secret' }
      const { body: token } = await request(world.app)
        .post('/oauth/token')
        .send({ ...narrow, scope: 'drives:list' })

      const { status, body } = await request(world.app)
        .get(`/v0/accounts/${world.admin.accountId}/metrics${path}`)
        .auth(token.access_token, { type: 'bearer' })
        .query(week)

      expect([status, body.error]).toEqual([403, 'insufficient_scope'])
    },
  )

  test('a member may request everything else', async () => {
    const { status, body } = await ask({ ...week, groupBy: 'resource_type' }, member)

    expect([status, body.summary.totalCost]).toEqual([200, 31])
  })

  test('another account gets the same 404 as a missing one', async () => {
    const stranger = await world.enter('foreign', 'owner@other.example', 'other')

    const foreign = await ask(week, stranger.key)
    const at = (path: string) =>
      request(world.app).get(`/v0/accounts/${path}`).auth(stranger.key, { type: 'bearer' }).query(week)
    const missing = await at('never-was/metrics')
    const enums = [
      await at(`${world.admin.accountId}/metrics/enums/group-by`),
      await at(`${world.admin.accountId}/metrics/enums/resource-types`),
    ]

    expect([foreign, missing, ...enums].map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(foreign.body).toEqual(missing.body)
  })
})

describe('enum helpers', () => {
  const enums = (name: string, query: Query = {}) =>
    request(world.app)
      .get(`/v0/accounts/${world.admin.accountId}/metrics/enums/${name}`)
      .auth(world.admin.key, { type: 'bearer' })
      .query(query)

  test('group-by lists the five groupings', async () => {
    const { body } = await enums('group-by')

    expect(body).toEqual({
      values: ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'],
    })
  })

  test('resource-types lists those with an event in the window', async () => {
    const at = '2026-03-03T12:00:00Z'
    const both = await enums('resource-types', { startTime: at, endTime: '2026-03-03T12:00:00.001Z' })
    const none = await enums('resource-types', { startTime: '2026-03-03T00:00:00Z', endTime: at })

    expect([both.body, none.body]).toEqual([{ values: ['agent', 'volume'] }, { values: [] }])
  })

  test.each([
    ['startTime', { endTime: week.endTime }],
    ['endTime', { startTime: week.startTime }],
    ['startTime', { ...week, startTime: 'yesterday' }],
    ['endTime', { startTime: week.endTime, endTime: week.startTime }],
  ])('resource-types requires its window, and names the invalid %s: %j', async (name, query) => {
    const { status, body } = await enums('resource-types', query)

    expect(status).toBe(400)
    expect(body.message).toMatch(new RegExp(`^${name}:`))
  })
})

// Written out from the interface document, so that a row that is missing is seen.
const dimensions: Array<[dimension: BillingDimension, resourceType: string, unit: string]> = [
  ['sandbox_compute_runtime_gbs', 'sandbox', 'gbs'],
  ['sandbox_image_storage_gbs', 'sandbox', 'gbs'],
  ['sandbox_snapshot_storage_gbs', 'sandbox', 'gbs'],
  ['agent_compute_runtime_gbs', 'agent', 'gbs'],
  ['agent_image_storage_gbs', 'agent', 'gbs'],
  ['agent_async_requests_count', 'agent', 'count'],
  ['job_compute_runtime_gbs', 'job', 'gbs'],
  ['job_image_storage_gbs', 'job', 'gbs'],
  ['mcp_server_compute_runtime_gbs', 'mcp_server', 'gbs'],
  ['mcp_server_image_storage_gbs', 'mcp_server', 'gbs'],
  ['volume_storage_gbs', 'volume', 'gbs'],
  ['custom_domain_active_time_hours', 'custom_domain', 'hours'],
  // Two of our own.
  ['model_input_tokens_count', 'model', 'count'],
  ['model_output_tokens_count', 'model', 'count'],
]

test('the dimensions are the twelve of the interface document and those of models, with their resource types and units', () => {
  const known = Object.entries(billingDimensions).map(([name, { resourceType, unit }]) => [name, resourceType, unit])

  expect(known).toEqual(dimensions)
})

test.each(dimensions)('%s is measured, grouped and filtered by', async (dimension, resourceType) => {
  const day = { startTime: '2024-05-01T00:00:00Z', endTime: '2024-05-02T00:00:00Z' }
  await meter(world.pool, [used({ at: '2024-05-01T10:00:00Z', quantity: 0.25, dimension })])

  const { body } = await ask({ ...day, groupBy: 'billing_dimension', billingDimension: dimension })

  expect(body.data.map(withoutSeries)).toEqual([
    expect.objectContaining({ billingDimension: dimension, resourceType, summary: { cost: 0.25, usage: 0.25 } }),
  ])
})
