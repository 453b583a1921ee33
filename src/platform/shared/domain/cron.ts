// Cron schedules: five fields, minute to day of week, or a name such as @daily.
import { Cron } from 'croner'

export type Schedule = Pick<Cron, 'nextRun'>

/** `CRON_TZ=Europe/Rome 0 9 * * *`: the time zone prefix, as in Kubernetes. */
const zoned = /^(?:CRON_TZ|TZ)=(\S+)\s+(\S.*)$/s

/** The library searches until the year 3000, which is slow for dates that never occur, such as 30 February. Every valid date occurs after this one. */
const late = new Date('2960-01-01T00:00:00Z')

/** In UTC without a time zone. Returns undefined for an invalid schedule and for one that is never due. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, timezone, pattern = text] = zoned.exec(text.trim()) ?? []
  // The library would also accept a date.
  if (!pattern.trim().startsWith('@') && pattern.trim().split(/\s+/).length !== 5) return undefined
  try {
    // An offset is much faster than a time zone, which is looked up for every minute.
    const zone = timezone === undefined ? { utcOffset: 0 } : { timezone }
    const schedule = new Cron(pattern, { mode: '5-part', sloppyRanges: true, ...zone })
    return schedule.nextRun(late) ? schedule : undefined
  } catch {
    return undefined
  }
}

export type DueTimes = { latest: Date | undefined; next: Date | null }

export function dueTimes(schedule: Schedule, from: Date, to: Date): DueTimes {
  let latest: Date | undefined
  let next = schedule.nextRun(from)
  for (; next && next <= to; next = schedule.nextRun(next)) latest = next
  return { latest, next }
}
