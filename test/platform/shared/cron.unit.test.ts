import { expect, test } from 'vitest'
import { dueTimes, parseSchedule } from '../../../src/platform/shared/domain/cron.ts'

const due = (schedule: string, from: string, to: string) =>
  dueTimes(parseSchedule(schedule)!, new Date(from), new Date(to)).latest?.toISOString()

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

test.each([
  ['0 9 * jan,Jul mon-FRI', '2026-07-03T08:00:00Z', '2026-07-03T10:00:00Z', '2026-07-03T09:00:00.000Z'],
  ['@daily', '2026-05-01T23:59:30Z', '2026-05-02T00:10:00Z', '2026-05-02T00:00:00.000Z'],
  ['@hourly', '2026-05-01T10:30:00Z', '2026-05-01T12:30:00Z', '2026-05-01T12:00:00.000Z'],
  ['@weekly', '2026-05-02T12:00:00Z', '2026-05-03T12:00:00Z', '2026-05-03T00:00:00.000Z'],
  ['@monthly', '2026-05-31T12:00:00Z', '2026-06-01T12:00:00Z', '2026-06-01T00:00:00.000Z'],
  ['@yearly', '2026-12-31T12:00:00Z', '2027-01-01T12:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['10/20 * * * *', '2026-05-01T10:00:30Z', '2026-05-01T10:55:00Z', '2026-05-01T10:50:00.000Z'],
])('%s, by names and nicknames, between %s and %s is due at %s', (schedule, from, to, at) => {
  expect(due(schedule, from, to)).toBe(at)
})

test.each([
  ['CRON_TZ=Europe/Rome 0 9 * * *', '2026-01-15T00:00:00Z', '2026-01-15T12:00:00Z', '2026-01-15T08:00:00.000Z'],
  ['CRON_TZ=Europe/Rome 0 9 * * *', '2026-07-15T00:00:00Z', '2026-07-15T12:00:00Z', '2026-07-15T07:00:00.000Z'],
  ['TZ=Asia/Tokyo @daily', '2026-05-01T12:00:00Z', '2026-05-01T20:00:00Z', '2026-05-01T15:00:00.000Z'],
  // The night in which the clock skips from 02:00 to 03:00: what falls into the gap is due when it ends.
  ['CRON_TZ=Europe/Rome 30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  // The night in which 02:30 comes twice: a daily schedule is due at the first.
  ['CRON_TZ=Europe/Rome 30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z', '2026-10-25T00:30:00.000Z'],
])('%s, in its time zone, between %s and %s is due at %s', (schedule, from, to, at) => {
  expect(due(schedule, from, to)).toBe(at)
})

test('the last checked minute is not due again', () => {
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
  '* * * * * *',
  '0 9 * brumaire *',
  '@reboot',
  '@fortnightly',
  '2026-05-01T10:00:00',
  'CRON_TZ=Nowhere/Land 0 9 * * *',
  'CRON_TZ=Europe/Rome',
  'CRON_TZ= 0 9 * * *',
  '0 0 30 2 *',
  '0 0 31 4,6,9,11 *',
])('%j is not a schedule, or is never due', (text) => {
  expect(parseSchedule(text)).toBeUndefined()
})

test.each(['0 0 29 2 *', '0 0 29 2 1#5', 'CRON_TZ=Europe/Rome 30 2 29 2 +1'])('%j is due, although rarely', (text) => {
  expect(parseSchedule(text)).toBeDefined()
})
