import { beforeEach, describe, expect, test } from 'vitest'
import { checkHealth } from '../../../../src/onboarding/connections/flows/check-health.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { nearEnd } from '../../../../src/onboarding/domain/stored-grant.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

const day = 24 * 3_600
const health = { by: 'function', tool: 'list_files', everySeconds: 600 } as const

let world: MemoryWorld
let connection: Connection
const open = async (refreshMaxAgeDays: number | undefined) => {
  world = await openMemoryWorld({ integration: { health, ...(refreshMaxAgeDays && { refreshMaxAgeDays }) } })
  connection = await world.addConnection({}, {}, { checkInSeconds: 600 })
}
const checkAfter = async (days: number) => {
  world.clock.pass(days * day)
  await checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'ticket' })
}
const found = () => world.found(connection.id)

describe('a grant that its provider ends after a year', () => {
  beforeEach(() => open(365))

  test('is announced once, two weeks before, with the date', async () => {
    const { createdAt } = connection
    await checkAfter(350)
    const early = world.events()
    await checkAfter(2)
    await checkAfter(2)

    expect(early).toEqual([])
    expect(world.events()).toEqual(['connection.grant_ends_soon'])
    expect(world.actions().filter((action) => action === 'connection.grant_ends_soon')).toHaveLength(1)
    const { status, grantEndsAt } = await found()
    expect([status, grantEndsAt!.getTime() - createdAt.getTime()]).toEqual(['active', 365 * day * 1_000])
  })

  test('is announced again near the end of the next grant', async () => {
    await checkAfter(352)
    await world.relink(connection)
    const replaced = await found()
    await checkAfter(10)
    const between = world.events()
    await checkAfter(345)

    expect(replaced.grantEndsAt).toBeUndefined()
    expect(between.filter((name) => name === 'connection.grant_ends_soon')).toHaveLength(1)
    expect(world.events().filter((name) => name === 'connection.grant_ends_soon')).toHaveLength(2)
  })

  test('is not announced for a broken connection', async () => {
    world.platform.tryTool = async () => ({ failed: true, cause: 'grant_revoked' })
    await checkAfter(352)

    expect(world.events()).toEqual(['connection.needs_relink'])
  })
})

test('the end of a grant without a lifetime is never announced', async () => {
  await open(undefined)
  await checkAfter(4_000)

  expect(world.events()).toEqual([])
})

test.each([
  [365, 350, false],
  [365, 351, true],
  [60, 45, false],
  [60, 46, true],
  [8, 5, false],
  [8, 6, true],
])('a lifetime of %i days is near its end after %i: %s', (refreshMaxAgeDays, age, isNear) => {
  const createdAt = new Date('2026-01-01T00:00:00Z')
  const now = new Date(createdAt.getTime() + age * day * 1_000)

  expect(nearEnd({ refreshMaxAgeDays }, { createdAt }, now) !== undefined).toBe(isNear)
})
