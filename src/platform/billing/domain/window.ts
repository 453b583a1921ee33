import type { Resolution } from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Grain, next, startOf } from './calendar.ts'

/** From the start, which belongs to it, to the end, which does not. */
export type Window = { start: Date; end: Date }

/** The window as it was asked, by texts that are times in UTC. */
export function windowOf(startTime: string, endTime: string): Window {
  const window = { start: timeOf(startTime), end: timeOf(endTime) }
  if (window.start >= window.end) throw new Failure('input_invalid', 'endTime: must be after startTime')
  return window
}

/** Times are kept to the millisecond: a finer bound lies between two of them, and the later one is the first beyond. */
function timeOf(text: string): Date {
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0
  return new Date(new Date(text.replace(/(\.\d{3})\d+/, '$1')).getTime() + finer)
}

const days = (count: number) => (start: Date) => new Date(start.getTime() + count * 86_400_000)

/** The same day of the next year, so that a leap year is a year. */
const aYear = (start: Date) => {
  const end = new Date(start)
  end.setUTCFullYear(start.getUTCFullYear() + 1)
  return end
}

/** The longest window of each resolution; shorter ones are its own by default. */
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

const grains: Record<Resolution, Grain> = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' }

export const grainOf = (resolution: Resolution): Grain => grains[resolution]

/** The starts of all buckets that the window touches. The first may lie before the window: a bucket is never moved. */
export function bucketsOf({ start, end }: Window, resolution: Resolution): Date[] {
  const grain = grainOf(resolution)
  const buckets: Date[] = []
  for (let at = startOf(grain, start); at < end; at = next(grain, at)) buckets.push(at)
  return buckets
}

/** What a part of the window is read from: events one by one, or sums that are made already. */
export type Source = 'event' | 'hour' | 'day' | 'month'
export type Piece = { source: Source; start: Date; end: Date }

const finest: readonly Source[] = ['hour', 'day', 'month']

/**
 * Cuts a window so that each part is read from the coarsest sums that lie wholly in it, up to `coarsest`; only what is
 * left of an hour at either end is read from the events themselves.
 */
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
