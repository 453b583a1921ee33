import { expect, test } from 'vitest'
import { countAxis } from '../../../../src/onboarding/console/http/locals/day-chart.ts'

test.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [37, [0, 10, 20, 30, 40]],
  [41, [0, 20, 40, 60]],
  [100, [0, 50, 100]],
  [123_456, [0, 50_000, 100_000, 150_000]],
])('the scale for up to %i has few, round ticks that cover all values', (highest, counts) => {
  const { top, ticks } = countAxis(highest)

  expect(ticks.map(({ count }) => count)).toEqual(counts)
  expect(top).toBeGreaterThanOrEqual(highest)
  expect([ticks[0]?.y, ticks.at(-1)?.y]).toEqual(['100.00', '0.00'])
})
