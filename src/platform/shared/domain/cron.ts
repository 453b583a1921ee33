// Schedules as cron writes them: five fields, minute to day of week, or a name such as @daily.
import { Cron } from 'croner'

export type Schedule = Pick<Cron, 'nextRun'>

/** `CRON_TZ=Europe/Rome 0 9 * * *`: as in Kubernetes and other implementations, the time zone goes before the fields. */
const zoned = /^(?:CRON_TZ|TZ)=(\S+)\s+(\S.*)$/s

/** In UTC unless the text names a time zone. Returns undefined if the text is not a schedule. */
export function parseSchedule(text: string): Schedule | undefined {
  const [, timezone, pattern = text] = zoned.exec(text.trim()) ?? []
  // Left alone, the library also takes a date for a schedule that is due once.
  if (!pattern.trim().startsWith('@') && pattern.trim().split(/\s+/).length !== 5) return undefined
  try {
    // An offset is an addition; a time zone, though it be UTC, is looked up for every minute.
    const zone = timezone === undefined ? { utcOffset: 0 } : { timezone }
    const schedule = new Cron(pattern, { mode: '5-part', sloppyRanges: true, ...zone })
    schedule.nextRun(new Date(0)) // the time zone is looked at here for the first time
    return schedule
  } catch {
    return undefined
  }
}

/** The latest minute after `from` and not after `to` that is on the schedule. */
export function latestDue(schedule: Schedule, from: Date, to: Date): Date | undefined {
  let latest: Date | undefined
  for (let at = schedule.nextRun(from); at && at <= to; at = schedule.nextRun(at)) latest = at
  return latest
}
