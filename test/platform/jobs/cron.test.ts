import { expect, test } from 'vitest'
import { latestDue, parseSchedule } from '../../../src/platform/jobs/domain/cron.ts'

const due = (schedule: string, from: string, to: string) =>
  latestDue(parseSchedule(schedule)!, new Date(from), new Date(to))?.toISOString()

test.each([
  ['* * * * *', '2026-05-01T10:00:30Z', '2026-05-01T10:03:59Z', '2026-05-01T10:03:00.000Z'],
  ['*/15 * * * *', '2026-05-01T10:00:30Z', '2026-05-01T10:44:00Z', '2026-05-01T10:30:00.000Z'],
  ['0 9-17 * * 1-5', '2026-05-01T16:30:00Z', '2026-05-01T18:00:00Z', '2026-05-01T17:00:00.000Z'],
  ['30 2 29 2 *', '2028-02-28T00:00:00Z', '2028-03-01T00:00:00Z', '2028-02-29T02:30:00.000Z'],
  ['0 0 13 * 5', '2026-05-07T12:00:00Z', '2026-05-08T12:00:00Z', '2026-05-08T00:00:00.000Z'],
  ['5,10 0 * * 7', '2026-05-02T12:00:00Z', '2026-05-03T01:00:00Z', '2026-05-03T00:10:00.000Z'],
])('%s between %s and %s is due at %s', (schedule, from, to, at) => {
  expect(due(schedule, from, to)).toBe(at)
})

test('the minute it was asked for last is not due again', () => {
  expect(due('* * * * *', '2026-05-01T10:00:30Z', '2026-05-01T10:00:59Z')).toBeUndefined()
})

test.each([
  '',
  '* * * *',
  '60 * * * *',
  '* 24 * * *',
  'a * * * *',
  '*/0 * * * *',
  '5-1 * * * *',
  '* * 0 * *',
  '1-2-3 * * * *',
])('%j is no schedule', (text) => {
  expect(parseSchedule(text)).toBeUndefined()
})
