// Case 57 of the attack catalogue, as far as it is about billing: nothing that was not used gets into a sum.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { execute } from '../../../src/kit/database/sql.ts'
import { insertUsage, toRow, usageIn } from '../../../src/platform/shared/postgres/usage-events.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { meter, oneDollarEach, type Use, used } from '../../support/worlds/metered.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const day = 24 * 60 * 60 * 1000
const at = new Date(Date.now() - 2 * day)

const file = join(temporaryFolder(), 'prices.json')
writeFileSync(file, JSON.stringify({ prices: oneDollarEach }))
const world = await platformWorld({ env: { PRICES_FILE: file } })
const other = await world.enter('foreign', 'owner@other.example', 'other')
await meter(world.pool, [used({ at, quantity: 7, eventId: 'first' })])

afterAll(() => world.close())

/** Everything there is, whenever it is said to have been. */
const total = async ({ accountId, key } = world.admin) => {
  const { body } = await request(world.app)
    .get(`/v0/accounts/${accountId}/metrics`)
    .auth(key, { type: 'bearer' })
    .query({ startTime: '1970-01-01T00:00:00Z', endTime: '2100-01-01T00:00:00Z', resolution: 'monthly' })
  return body.summary.totalCost
}

const impossible: Array<[string, Partial<Use> & { startedAt?: Date; endedAt?: Date }]> = [
  ['less than nothing', { quantity: -5 }],
  ['no number', { quantity: Number.NaN }],
  ['without end', { quantity: Number.POSITIVE_INFINITY }],
  ['more than there is', { quantity: 1e308 }],
  ['at no time', { at: 'never' }],
  ['the day after tomorrow', { at: new Date(Date.now() + 2 * day) }],
  ['in a year that cannot be written', { at: new Date(8.64e15) }],
  ['before the beginning of time', { at: new Date(-1) }],
  ['that ended before it began', { endedAt: new Date(at.getTime() - 1) }],
]

test.each(impossible)(
  'usage %s changes no sum, and the rest of its batch is counted',
  async (_, { endedAt, ...more }) => {
    const before = await total()
    const bad = { ...used({ at, ...more }), ...(endedAt && { endedAt }) }

    await meter(world.pool, [bad, used({ at, quantity: 1 })])

    expect(await total()).toBe(before + 1)
  },
)

test.each(impossible.filter(([, { at: when }]) => when === undefined || String(when).startsWith('20')))(
  'the store also ignores usage %s',
  async (_, { endedAt, ...more }) => {
    const before = await total()
    const bad = { ...used({ at, ...more }), ...(endedAt && { endedAt }) }

    await execute(world.pool, insertUsage(usageIn(JSON.stringify([toRow(bad)]))))

    expect(await total()).toBe(before)
  },
)

test('a repeated event counts once, even with other contents or from another process', async () => {
  const before = [await total(), await total(other)]

  await meter(world.pool, [
    used({ at, quantity: 7, eventId: 'first' }),
    used({ at, quantity: 700, eventId: 'first' }),
    used({ at, quantity: 70, eventId: 'first', workspace: 'foreign' }),
  ])
  await Promise.all(Array.from({ length: 20 }, () => meter(world.pool, [used({ at, quantity: 3, eventId: 'crowd' })])))

  expect([await total(), await total(other)]).toEqual([(before[0] ?? 0) + 3, before[1]])
})

test("usage of another tenant is only on its own bill, which we can't read", async () => {
  const before = await total()

  await meter(world.pool, [
    used({ at, quantity: 11, workspace: 'foreign' }),
    used({ at, quantity: 13, workspace: 'no-such' }),
  ])
  const peeked = await request(world.app)
    .get(`/v0/accounts/${other.accountId}/metrics`)
    .auth(world.admin.key, { type: 'bearer' })
    .query({ startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' })

  expect([await total(), await total(other), peeked.status]).toEqual([before, 11, 404])
})
