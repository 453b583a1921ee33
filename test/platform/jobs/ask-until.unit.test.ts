// Polling of callers that wait for a job.
import { expect, test } from 'vitest'
import { askUntil } from '../../../src/platform/jobs/http/job-routes.ts'

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
    run: () => askUntil(ask, { maxMs: 100_000, nowMs: () => nowMs, pause }),
    seen: () => ({ asked, nowMs }),
  }
}

test('Z55: polls with growing pauses and gives up at the timeout', async () => {
  const { run, seen } = waiting(Number.POSITIVE_INFINITY)

  await run()

  expect(seen().asked).toBeLessThan(100)
  expect(seen().nowMs).toBeLessThan(103_000)
})

test.each([0, 150, 1_900, 30_000])('detects a result after %i ms within two seconds', async (ms) => {
  const { run, seen } = waiting(ms)

  await run()

  expect(seen().nowMs - ms).toBeLessThanOrEqual(2_000)
})
