// The usage that `npm start -- --sample` makes up.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSampleUsage } from '../../../src/platform/shared/postgres/sample-usage.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld

beforeAll(async () => {
  world = await platformWorld()
})
afterAll(() => world.close())

test('a month of usage is made up once, for workspaces of the sample alone', async () => {
  await world.enter('sample-books', 'owner@books.example', 'books')

  const added = await addSampleUsage(world.pool)
  const again = await addSampleUsage(world.pool)

  const { rows } = await world.pool.query(
    `select workspace, count(distinct date_trunc('day', counted_at, 'UTC'))::int as days, sum(cost) > 0 as "hasCost",
       bool_and(counted_at < now()) as "isPast" from usage_events group by workspace`,
  )
  expect([added, again]).toEqual([150, 0])
  expect(rows).toEqual([{ workspace: 'sample-books', days: 30, hasCost: true, isPast: true }])
})
