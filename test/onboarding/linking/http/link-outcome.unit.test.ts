import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { outcomeOf } from '../../../../src/onboarding/linking/http/links.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
})

const never = new Promise<Link>(() => {})

test('F25: a timed-out request returns what another worker has done by then', async () => {
  const link = await world.addLink()

  const outcome = outcomeOf(world, { link, done: never })
  await world.move(link, 'denied')
  await vi.advanceTimersByTimeAsync(8_000)

  expect((await outcome).state).toBe('denied')
})

test('a timed-out request is pending if the ledger does not answer', async () => {
  const link = await world.addLink()
  const links = { ...world.links, find: breaks }

  const outcome = outcomeOf({ links }, { link, done: never })
  await vi.advanceTimersByTimeAsync(8_000)

  expect(await outcome).toEqual(link)
})
