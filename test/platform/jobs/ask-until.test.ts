// How often callers that wait for a job have the store asked.
import { expect, test } from 'vitest'
import { askUntil } from '../../../src/platform/jobs/http/ask-until.ts'

/** Time passes while it pauses, and at no other moment. */
function waiting(overAfterMs: number) {
  let nowMs = 0
  let asked = 0
  const ask = async () => {
    asked++
    return nowMs >= overAfterMs
  }
  const pause = async (ms: number) => {
    nowMs += ms
  }
  return {
    run: () => askUntil(ask, { longestMs: 100_000, nowMs: () => nowMs, pause }),
    seen: () => ({ asked, nowMs }),
  }
}

test('Z55: what takes long is asked for less and less often, and given up in time', async () => {
  const { run, seen } = waiting(Number.POSITIVE_INFINITY)

  await run()

  expect(seen().asked).toBeLessThan(100)
  expect(seen().nowMs).toBeLessThan(103_000)
})

test.each([0, 150, 1_900, 30_000])('what is over after %i ms is noticed soon', async (ms) => {
  const { run, seen } = waiting(ms)

  await run()

  expect(seen().nowMs - ms).toBeLessThanOrEqual(2_000)
})
