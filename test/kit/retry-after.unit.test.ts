import { expect, test } from 'vitest'
import { retryAfterSeconds } from '../../src/kit/fetch/retry-after.ts'

const now = Date.UTC(2026, 10, 15, 12, 0, 0, 400)

test.each([
  ['0', 0],
  ['120', 120],
  ['Sun, 15 Nov 2026 12:00:30 GMT', 30],
  ['Sun, 15 Nov 2026 11:59:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['9999999999', undefined],
  ['2026-11-15T12:00:30Z', undefined],
  ['Sun, 99 Nov 2026 12:00:30 GMT', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('%j asks to wait for %s seconds', (value, seconds) => {
  expect(retryAfterSeconds(value, now)).toBe(seconds)
})
