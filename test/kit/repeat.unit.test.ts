import { expect, onTestFinished, test } from 'vitest'
import { repeat, resting } from '../../src/kit/process/repeat.ts'
import { loopReports } from '../support/doubles/loop-reports.ts'
import { waitFor } from '../support/oracles/wait-for.ts'

const failure = () => Object.assign(new Error('password=hunter2'), { code: 'ECONNREFUSED' })

test('a failed run is logged and counted, and the loop continues', async () => {
  const reports = loopReports()
  let turns = 0
  const work = async () => {
    turns++
    if (turns <= 2) throw failure()
  }
  const loop = repeat('sweep-things', 1, work, reports)
  onTestFinished(() => loop.stop())

  await waitFor('it has mended', () => turns >= 4)
  await loop.stop()

  const line = expect.objectContaining({
    event: 'loop.failed',
    fields: { loop: 'sweep-things', code: expect.stringMatching(/^Error ECONNREFUSED/) },
  })
  expect(reports.lines).toEqual([line, line])
  expect(JSON.stringify(reports.lines)).not.toContain('hunter2')
  expect(await reports.metrics.text()).toContain('test_loop_failures_total{loop="sweep-things"} 2')
})

test('a synchronous error is a failed run', async () => {
  const reports = loopReports()
  const loop = repeat(
    'broken',
    1,
    () => {
      throw failure()
    },
    reports,
  )

  await waitFor('it failed twice', () => reports.lines.length >= 2)
  await loop.stop()

  expect(reports.lines[0]?.fields).toMatchObject({ loop: 'broken' })
})

test('unfinished work pauses', async () => {
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

test('failed work is retried without a pause', async () => {
  let tries = 0
  const work = resting(async () => {
    tries++
    throw new Error('no')
  }, 500)

  await work().catch(() => {})
  await work().catch(() => {})

  expect(tries).toBe(2)
})

test('soon() runs immediately, or once after the current run, and never after stop', async () => {
  const held: Array<() => void> = []
  const work = () => new Promise<void>((resolve) => held.push(resolve))
  const loop = repeat('on demand', 1_000_000, work, loopReports())

  loop.soon()
  loop.soon()
  loop.soon()
  held.shift()?.()
  await waitFor('the second turn has begun', () => held.length === 1)
  const stopped = loop.stop()
  held.shift()?.()
  await stopped
  loop.soon()

  expect(held).toEqual([])
})
