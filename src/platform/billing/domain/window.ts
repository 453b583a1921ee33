import type { Resolution } from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'

export type Window = { start: Date; end: Date }

export function windowOf(startTime: string, endTime: string): Window {
  const window = { start: timeOf(startTime), end: timeOf(endTime) }
  if (window.start >= window.end) throw new Failure('input_invalid', 'endTime: must be after startTime')
  return window
}

/** Times have millisecond precision. A finer bound is rounded up. */
function timeOf(text: string): Date {
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0
  return new Date(new Date(text.replace(/(\.\d{3})\d+/, '$1')).getTime() + finer)
}

const days = (count: number) => (start: Date) => new Date(start.getTime() + count * 86_400_000)

const aYear = (start: Date) => {
  const end = new Date(start)
  end.setUTCFullYear(start.getUTCFullYear() + 1)
  return end
}

/** The max window of each resolution. Without a resolution, the finest one that fits is used. */
const limits = [
  { resolution: 'hourly', endOf: days(7), words: '7 days' },
  { resolution: 'daily', endOf: days(90), words: '90 days' },
  { resolution: 'weekly', endOf: aYear, words: '1 year' },
] as const

export function resolutionOf({ start, end }: Window, asked: Resolution | undefined): Resolution {
  if (asked === undefined) return limits.find(({ endOf }) => end < endOf(start))?.resolution ?? 'monthly'
  const limit = limits.find(({ resolution }) => resolution === asked)
  if (limit && end > limit.endOf(start)) {
    throw new Failure('input_invalid', `resolution: ${asked} covers at most ${limit.words}`)
  }
  return asked
}

/** In UTC. Weeks start on Monday (ISO 8601). */
export type Grain = 'hour' | 'day' | 'week' | 'month'

const grains: Record<Resolution, Grain> = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' }

export const grainOf = (resolution: Resolution): Grain => grains[resolution]

/** Starts of all buckets that overlap the window. The first may start before the window. */
export function bucketsOf({ start, end }: Window, resolution: Resolution): Date[] {
  const grain = grainOf(resolution)
  const buckets: Date[] = []
  for (let at = startOf(grain, start); at < end; at = next(grain, at)) buckets.push(at)
  return buckets
}

type Source = 'event' | 'hour' | 'day' | 'month'
export type Piece = { source: Source; start: Date; end: Date }

const finest: readonly Source[] = ['hour', 'day', 'month']

/** Splits a window into parts that are read from the coarsest sums. Only partial hours at the ends are read from events. */
export function coverOf(window: Window, coarsest: Exclude<Source, 'event'>): Piece[] {
  const [finer, ...rest] = finest.slice(0, finest.indexOf(coarsest) + 1).reverse() as [Grain & Source, ...Source[]]
  return cut(window, finer, rest.length > 0 ? (part) => coverOf(part, rest[0] as Exclude<Source, 'event'>) : asEvents)
}

const asEvents = ({ start, end }: Window): Piece[] => [{ source: 'event', start, end }]

function cut({ start, end }: Window, grain: Grain & Source, outside: (part: Window) => Piece[]): Piece[] {
  const from = startOf(grain, start) < start ? next(grain, startOf(grain, start)) : start
  const to = startOf(grain, end)
  if (from >= to) return outside({ start, end })
  const head = start < from ? outside({ start, end: from }) : []
  const tail = to < end ? outside({ start: to, end }) : []
  return [...head, { source: grain, start: from, end: to }, ...tail]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const firstMonday = Date.UTC(1970, 0, 5)

function startOf(grain: Grain, at: Date): Date {
  if (grain === 'hour') return floor(at, hourMs, 0)
  if (grain === 'day') return floor(at, dayMs, 0)
  if (grain === 'week') return floor(at, 7 * dayMs, firstMonday)
  return firstOfMonth(at.getUTCFullYear(), at.getUTCMonth())
}

function next(grain: Grain, start: Date): Date {
  if (grain === 'hour') return new Date(start.getTime() + hourMs)
  if (grain === 'day') return new Date(start.getTime() + dayMs)
  if (grain === 'week') return new Date(start.getTime() + 7 * dayMs)
  return firstOfMonth(start.getUTCFullYear(), start.getUTCMonth() + 1)
}

const floor = (at: Date, stepMs: number, origin: number) =>
  new Date(Math.floor((at.getTime() - origin) / stepMs) * stepMs + origin)

function firstOfMonth(year: number, month: number): Date {
  const first = new Date(0) // Date.UTC maps the years 0 to 99 to 1900 to 1999
  first.setUTCFullYear(year, month, 1)
  return first
}
