// Schedules of five fields, minute to day of week, in UTC.

const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

export type Schedule = {
  minutes: Set<number>
  hours: Set<number>
  days: Set<number>
  months: Set<number>
  weekdays: Set<number>
  eitherDay: boolean
}

/** Undefined: this is no schedule. */
export function parseSchedule(text: string): Schedule | undefined {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const sets = fields.map((field, at) => parseField(field, ...(ranges[at] as [number, number])))
  if (sets.some((set) => set === undefined)) return undefined
  const [minutes, hours, days, months, weekdays] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (weekdays.has(7)) weekdays.add(0)
  // As cron has always done: when both days are limited, either of them is enough.
  return { minutes, hours, days, months, weekdays, eitherDay: fields[2] !== '*' && fields[4] !== '*' }
}

function parseField(field: string, least: number, most: number): Set<number> | undefined {
  const chosen = new Set<number>()
  for (const part of field.split(',')) {
    const [, range = '', step = '1'] = /^([0-9*-]+)(?:\/([0-9]+))?$/.exec(part) ?? []
    const [, from, to] = /^(?:\*|([0-9]+)(?:-([0-9]+))?)$/.exec(range) ?? ['', 'no']
    const first = from === undefined ? least : Number(from)
    const last = from === undefined ? most : Number(to ?? (part.includes('/') ? most : from))
    if (!(first >= least && last <= most && first <= last && Number(step) > 0)) return undefined
    for (let value = first; value <= last; value += Number(step)) chosen.add(value)
  }
  return chosen
}

const minuteMs = 60_000

/** The latest minute after `from` and not after `to` that is on the schedule. */
export function latestDue(schedule: Schedule, from: Date, to: Date): Date | undefined {
  const first = Math.floor(from.getTime() / minuteMs) * minuteMs
  for (let at = Math.floor(to.getTime() / minuteMs) * minuteMs; at > first; at -= minuteMs) {
    if (isDue(schedule, new Date(at))) return new Date(at)
  }
  return undefined
}

function isDue({ minutes, hours, days, months, weekdays, eitherDay }: Schedule, at: Date): boolean {
  if (!minutes.has(at.getUTCMinutes()) || !hours.has(at.getUTCHours()) || !months.has(at.getUTCMonth() + 1))
    return false
  const [day, weekday] = [days.has(at.getUTCDate()), weekdays.has(at.getUTCDay())]
  return eitherDay ? day || weekday : day && weekday
}
