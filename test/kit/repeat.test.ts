import { expect, test } from 'vitest'
import { resting } from '../../src/kit/process/repeat.ts'

test('work that leaves something undone rests for its time, and work that leaves nothing does not', async () => {
  const done: number[] = []
  let [time, stays] = [1_000, true]
  const work = resting(
    async () => {
      done.push(time)
      return stays
    },
    500,
    () => time,
  )

  await work()
  for (time of [1_001, 1_499, 1_500]) await work()
  stays = false
  for (time of [1_999, 2_000, 2_001]) await work()

  expect(done).toEqual([1_000, 1_500, 2_000, 2_001])
})

test('work that fails does not rest: it is tried at the next turn', async () => {
  let tries = 0
  const work = resting(async () => {
    tries++
    throw new Error('no')
  }, 500)

  await work().catch(() => {})
  await work().catch(() => {})

  expect(tries).toBe(2)
})
