import { expect, test } from 'vitest'
import { tokenLimitsOf } from '../../../src/platform/control-plane/domain/policy.ts'
import { reached, windowOf, windowsOf } from '../../../src/platform/gateway/domain/token-limit.ts'

const now = new Date('2026-03-02T10:17:30Z')

test.each([
  ['minute', 1, '2026-03-02T10:17:00.000Z', '2026-03-02T10:18:00.000Z'],
  ['hour', 1, '2026-03-02T10:00:00.000Z', '2026-03-02T11:00:00.000Z'],
  ['day', 1, '2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'],
  ['month', 1, '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['month', 3, '2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
] as const)('a window of a %s times %i', (granularity, step, begin, end) => {
  const limit = { policy: 'p', granularity, step }
  const { endsAt, number } = windowOf(limit, now)

  expect(endsAt.toISOString()).toBe(end)
  expect(windowOf(limit, new Date(begin)).number).toBe(number)
  expect(windowOf(limit, new Date(Date.parse(begin) - 1)).number).toBe(number - 1)
  expect(windowOf(limit, endsAt).number).toBe(number + 1)
})

test.each(['minute', 'month'] as const)(
  'a window of very many times a %s ends at the latest possible time',
  (granularity) => {
    const { endsAt } = windowOf({ policy: 'p', granularity, step: Number.MAX_SAFE_INTEGER }, now)

    expect(endsAt.toISOString()).toBe('+275760-09-13T00:00:00.000Z')
  },
)

test('limits of the same length share one window', () => {
  const limits = [1, 1, 2].map((step, at) => ({ policy: `p${at}`, granularity: 'day' as const, step }))

  expect(windowsOf(limits, now).map(({ span }) => span)).toEqual(['1 day', '2 day'])
})

test.each([
  [undefined, 'minute'],
  ['day', 'day'],
  ['eon', 'month'],
])('a policy with the granularity %s counts by %s', (granularity, expected) => {
  const spec = { type: 'maxToken', resourceTypes: [], maxTokens: { granularity, total: 1 } }

  expect(tokenLimitsOf({ name: 'p', spec })).toMatchObject([{ granularity: expected, step: 1, total: 1 }])
})

test.each([
  [{ total: 10 }, { input: 5, output: 5 }, '10 tokens'],
  [{ total: 10 }, { input: 5, output: 4 }, undefined],
  [{ input: 3 }, { input: 3, output: 0 }, '3 input tokens'],
  [{ output: 0 }, { input: 0, output: 0 }, '0 output tokens'],
  [{}, { input: 9, output: 9 }, undefined],
])('the limit %j with %j used', (limits, used, words) => {
  expect(reached({ policy: 'p', granularity: 'day', step: 1, ...limits }, used)).toBe(words)
})
