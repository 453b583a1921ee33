// Random queries over random events, against a computation that is slow and obviously right.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BillingDimension, groupings } from '../../../src/contract/billing/metrics.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { meter, used } from '../../support/worlds/metered.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const dimensions = ['agent_compute_runtime_gbs', 'agent_async_requests_count', 'volume_storage_gbs'] as const
const types = { agent_compute_runtime_gbs: 'agent', agent_async_requests_count: 'agent', volume_storage_gbs: 'volume' }

/** In billionths of a dollar; the second price of compute begins within the year of the events. */
const prices = [
  { dimension: 'agent_compute_runtime_gbs', nano: 11_500n, from: '1970-01-01' },
  { dimension: 'agent_compute_runtime_gbs', nano: 13_700n, from: '2025-07-16' },
  { dimension: 'agent_async_requests_count', nano: 400n, from: '1970-01-01' },
  { dimension: 'volume_storage_gbs', nano: 81n, from: '2025-01-01' },
] as const

/** Quantities are millionths, so that a test without rounding is possible. */
type Fact = { dimension: (typeof dimensions)[number]; at: number; micro: number; workspace: string; name: string }

const firstMs = Date.UTC(2024, 11, 20)
const lastMs = Date.UTC(2026, 1, 10)
const hourMs = 3_600_000

/** Bounds lie on hours, days and months more often than chance would have it, and just beside them. */
const moment = fc.oneof(
  fc.integer({ min: firstMs, max: lastMs }),
  fc
    .tuple(fc.integer({ min: firstMs / hourMs, max: lastMs / hourMs }), fc.constantFrom(-1, 0, 1))
    .map(([hours, ms]) => Math.floor(hours) * hourMs + ms),
  fc
    .tuple(fc.integer({ min: 0, max: 13 }), fc.constantFrom(1, 2, 15), fc.constantFrom(-1, 0, 1))
    .map(([month, day, ms]) => Date.UTC(2025, month, day) + ms),
)

const fact: fc.Arbitrary<Fact> = fc.record({
  dimension: fc.constantFrom(...dimensions),
  at: moment,
  micro: fc.integer({ min: 0, max: 2_000_000_000 }),
  workspace: fc.constantFrom('acme', 'beta'),
  name: fc.constantFrom('a', 'b', 'B', 'é', 'a-b'),
})

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 4 })

const query = fc.record({
  bounds: fc.uniqueArray(moment, { minLength: 2, maxLength: 2 }),
  short: fc.boolean(),
  groupBy: fc.uniqueArray(fc.constantFrom(...groupings), { maxLength: 3 }),
  resolution: optional(fc.constantFrom('hourly', 'daily', 'weekly', 'monthly')),
  workspace: optional(fc.constantFrom('acme', 'beta')),
  resourceType: optional(fc.constantFrom('agent', 'volume')),
  resourceName: optional(fc.constantFrom('a', 'é')),
  resourceUuid: optional(fc.constantFrom('acme-a', 'beta-é', 'acme-a-b')),
  billingDimension: optional(fc.constantFrom(...dimensions)),
  limit: fc.constantFrom(1, 2, 7, 100),
})

let world: PlatformWorld
let facts: Fact[]

beforeAll(async () => {
  const file = join(temporaryFolder(), 'prices.json')
  const listed = prices.map(({ dimension, nano, from }) => ({
    dimension,
    usdPerUnit: decimal(nano, 9),
    effectiveFrom: from,
  }))
  writeFileSync(file, JSON.stringify({ prices: listed }))
  world = await platformWorld({ env: { PRICES_FILE: file } })
  await world.enter('beta', 'admin@acme.example')
  facts = fc.sample(fact, { numRuns: 600, seed: 7 })
  const events = facts.map(({ at, micro, ...rest }) => used({ at: new Date(at), quantity: micro / 1e6, ...rest }))
  await meter(world.pool, [...events, ...events]) // the second time must change nothing
})

afterAll(() => world.close())

test('every query equals a naive computation over all events', async () => {
  await fc.assert(
    fc.asyncProperty(query, async ({ bounds, short, limit, groupBy, ...rest }) => {
      const start = Math.min(...bounds)
      const end = short ? Math.min(Math.max(...bounds), start + 7 * 24 * hourMs) : Math.max(...bounds)
      const asked = { ...rest, groupBy, start, end }
      if (isTooLong(asked)) return

      const answer = await everyPage(asked, limit)

      expect(answer).toEqual(slowly(asked))
    }),
    { numRuns: 120 },
  )
}, 180_000)

type BillingQuery = Omit<typeof query extends fc.Arbitrary<infer Q> ? Q : never, 'bounds' | 'short' | 'limit'> & {
  start: number
  end: number
}

const longest = { hourly: 7 * 24 * hourMs, daily: 90 * 24 * hourMs, weekly: 365 * 24 * hourMs, monthly: Infinity }

const isTooLong = ({ start, end, resolution }: BillingQuery) =>
  resolution !== undefined && end - start > longest[resolution]

type Answer = { total: { totalCost: number }; resolution: string; data: object[] }

/** Walks by cursor to the end; every page must tell the same total. */
async function everyPage(
  { start, end, groupBy, ...rest }: BillingQuery,
  limit: number,
): Promise<Omit<Answer, 'resolution'>> {
  const startTime = new Date(start).toISOString()
  const endTime = new Date(end).toISOString()
  const params = { ...rest, startTime, endTime, limit, ...(groupBy.length > 0 && { groupBy: groupBy.join() }) }
  const data: object[] = []
  let total: Answer['total'] | undefined
  let cursor: string | undefined
  do {
    const given = Object.entries({ ...params, cursor }).filter(([, value]) => value !== undefined)
    const { status, body } = await request(world.app)
      .get(`/v0/accounts/${world.admin.accountId}/metrics`)
      .auth(world.admin.key, { type: 'bearer' })
      .query(Object.fromEntries(given))
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.summary).toEqual(total ?? body.summary)
    total = body.summary
    data.push(...body.data)
    cursor = body.meta.nextCursor || undefined
  } while (cursor)
  return { total: total as Answer['total'], data }
}

type Sum = { cost: bigint; usage: bigint }

function slowly(asked: BillingQuery): Omit<Answer, 'resolution'> {
  const chosen = facts.filter((each) => matches(each, asked))
  const keys = [...new Set(chosen.map((each) => JSON.stringify(keyOf(each, asked.groupBy))))]
  if (asked.groupBy.length === 0 && keys.length === 0) keys.push('[]')
  keys.sort((a, b) => compare(JSON.parse(a), JSON.parse(b)))
  const shown = asked.groupBy.includes('billing_dimension')
  const { cost, usage } = sumOf(chosen)
  const data = keys.map((key) => {
    const group = chosen.filter((each) => JSON.stringify(keyOf(each, asked.groupBy)) === key)
    return {
      ...fieldsOf(group, asked.groupBy),
      summary: show(sumOf(group), shown),
      timeseries: series(group, asked, shown),
    }
  })
  const total = { totalCost: Number(decimal(cost, 15)), ...(shown && { totalUsage: Number(decimal(usage, 6)) }) }
  return { total, data }
}

const matches = (each: Fact, asked: BillingQuery) =>
  each.at >= asked.start &&
  each.at < asked.end &&
  (asked.workspace ?? each.workspace) === each.workspace &&
  (asked.resourceType ?? types[each.dimension]) === types[each.dimension] &&
  (asked.resourceName ?? each.name) === each.name &&
  (asked.resourceUuid ?? valuesOf(each).resource_uuid) === valuesOf(each).resource_uuid &&
  (asked.billingDimension ?? each.dimension) === each.dimension

const valuesOf = (each: Fact) => ({
  workspace: each.workspace,
  resource_type: types[each.dimension],
  resource_name: each.name,
  resource_uuid: `${each.workspace}-${each.name}`,
  billing_dimension: each.dimension as BillingDimension as string,
})

const keyOf = (each: Fact, groupBy: BillingQuery['groupBy']) =>
  groupings.filter((grouping) => groupBy.includes(grouping)).map((grouping) => valuesOf(each)[grouping])

function compare(a: string[], b: string[]): number {
  for (const [at, left] of a.entries()) {
    const order = Buffer.compare(Buffer.from(left), Buffer.from(b[at] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

/** The table of the document, row by row. */
function fieldsOf(group: Fact[], groupBy: BillingQuery['groupBy']) {
  const has = (...names: string[]) => names.some((name) => (groupBy as string[]).includes(name))
  const common = (grouping: keyof ReturnType<typeof valuesOf>, filled: boolean) => {
    const values = new Set(group.map((each) => valuesOf(each)[grouping]))
    return filled && values.size === 1 ? [...values][0] : ''
  }
  return {
    workspace: common('workspace', has('workspace', 'resource_uuid', 'resource_name')),
    resourceType: common('resource_type', has('resource_type', 'resource_uuid', 'resource_name', 'billing_dimension')),
    resourceName: common('resource_name', has('resource_name', 'resource_uuid')),
    resourceUuid: common('resource_uuid', has('resource_uuid')),
    billingDimension: common('billing_dimension', has('billing_dimension')),
  }
}

function priceOf({ dimension, at }: Fact): bigint {
  const begun = prices.filter((price) => price.dimension === dimension && Date.parse(price.from) <= at)
  return begun.at(-1)?.nano ?? 0n
}

function sumOf(group: Fact[]): Sum {
  const sum = { cost: 0n, usage: 0n }
  for (const each of group) {
    sum.cost += BigInt(each.micro) * priceOf(each)
    sum.usage += BigInt(each.micro)
  }
  return sum
}

const show = ({ cost, usage }: Sum, shown: boolean) => ({
  cost: Number(decimal(cost, 15)),
  ...(shown && { usage: Number(decimal(usage, 6)) }),
})

/** Walks hour by hour, and begins a bucket wherever the calendar does. */
function series(group: Fact[], { start, end, resolution }: BillingQuery, shown: boolean) {
  const grain = resolution ?? defaultOf(start, end)
  const buckets: Array<{ from: number; facts: Fact[] }> = []
  const longAgo = Math.floor(start / hourMs) * hourMs - 31 * 24 * hourMs
  for (let hour = longAgo; hour < end; hour += hourMs) {
    if (begins(new Date(hour), grain)) buckets.push({ from: hour, facts: [] })
    const now = buckets.at(-1)
    now?.facts.push(...group.filter(({ at }) => at >= hour && at < hour + hourMs))
  }
  const current = buckets.findLastIndex(({ from }) => from <= start)
  return buckets.slice(current).map(({ from, facts: within }) => ({
    timestamp: new Date(from).toISOString(),
    ...show(sumOf(within), shown),
  }))
}

function begins(at: Date, grain: string): boolean {
  if (grain === 'hourly') return true
  if (at.getUTCHours() !== 0) return false
  if (grain === 'weekly') return at.getUTCDay() === 1
  return grain === 'daily' || at.getUTCDate() === 1
}

function defaultOf(start: number, end: number): string {
  const days = (end - start) / 24 / hourMs
  if (days < 7) return 'hourly'
  if (days < 90) return 'daily'
  return days < 365 ? 'weekly' : 'monthly'
}

function decimal(scaled: bigint, digits: number): string {
  const text = String(scaled).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
