// Hours, days, weeks and months as UTC has them; a week begins on Monday (ISO 8601).
export type Grain = 'hour' | 'day' | 'week' | 'month'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const firstMonday = Date.UTC(1970, 0, 5)

export function startOf(grain: Grain, at: Date): Date {
  if (grain === 'hour') return floor(at, hourMs, 0)
  if (grain === 'day') return floor(at, dayMs, 0)
  if (grain === 'week') return floor(at, 7 * dayMs, firstMonday)
  return firstOfMonth(at.getUTCFullYear(), at.getUTCMonth())
}

/** The start of the one after the one that begins here. */
export function next(grain: Grain, start: Date): Date {
  if (grain === 'hour') return new Date(start.getTime() + hourMs)
  if (grain === 'day') return new Date(start.getTime() + dayMs)
  if (grain === 'week') return new Date(start.getTime() + 7 * dayMs)
  return firstOfMonth(start.getUTCFullYear(), start.getUTCMonth() + 1)
}

const floor = (at: Date, stepMs: number, origin: number) =>
  new Date(Math.floor((at.getTime() - origin) / stepMs) * stepMs + origin)

function firstOfMonth(year: number, month: number): Date {
  const first = new Date(0) // Date.UTC would take the years 0 to 99 for 1900 to 1999
  first.setUTCFullYear(year, month, 1)
  return first
}
