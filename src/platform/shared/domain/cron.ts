// Schedules as cron writes them: five fields, minute to day of week, or a name such as @daily.
import { Cron } from 'croner'

export type Schedule = Pick<Cron, 'nextRun'>

/** `CRON_TZ=Europe/Rome 0 9 * * *`: as in Kubernetes and other implementations, the time zone goes before the fields. */
const zoned = /^(?:CRON_TZ|TZ)=(\S+)\s+(\S.*)$/s

/**
 * The library looks for a date until the year 3000, which takes long for one that never comes, such as 30 February.
 * Within these years every date comes that does at all.
 */
const late = new Date('2960-01-01T00:00:00Z')

/** In UTC unless the text names a time zone. Returns undefined if the text is not a schedule, or never due. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, timezone, pattern = text] = zoned.exec(text.trim()) ?? []
  // Left alone, the library also takes a date for a schedule that is due once.
  if (!pattern.trim().startsWith('@') && pattern.trim().split(/\s+/).length !== 5) return undefined
  try {
    // An offset is an addition; a time zone, though it be UTC, is looked up for every minute.
    const zone = timezone === undefined ? { utcOffset: 0 } : { timezone }
    const schedule = new Cron(pattern, { mode: '5-part', sloppyRanges: true, ...zone })
    // The time zone is looked at here for the first time.
    return schedule.nextRun(late) ? schedule : undefined
  } catch {
    return undefined
  }
}

export type DueTimes = { latest: Date | undefined; next: Date | null }

/** The latest minute after `from` and not after `to` that is on the schedule, and the next one after that. */
export function dueTimes(schedule: Schedule, from: Date, to: Date): DueTimes {
  let latest: Date | undefined
  let next = schedule.nextRun(from)
  for (; next && next <= to; next = schedule.nextRun(next)) latest = next
  return { latest, next }
}
