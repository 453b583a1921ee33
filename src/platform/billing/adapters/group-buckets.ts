// The series of a page of groups, bucket by bucket.
import type pg from 'pg'
import { z } from 'zod'
import type { Grouping } from '../../../contract/billing/metrics.ts'
import { Parameters } from '../../../kit/database/prepared.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { Grain } from '../domain/calendar.ts'
import { showsUsage } from '../domain/grouping.ts'
import type { Group, Question } from '../domain/ports.ts'
import { bucketsOf, coverOf, grainOf, type Piece } from '../domain/window.ts'
import { bucketsOfEvents, bucketsOfSeries, columns, conditionOf } from './facts.ts'

const BucketRow = z.object({ ordinal: z.number(), points: z.string() })

const coarsest = { hourly: 'hour', daily: 'day', weekly: 'day', monthly: 'month' } as const

/**
 * Each group is summed by itself: its few hundred sums stay in the processor's cache, those of all groups together do
 * not. One row a group comes back, with a field for each bucket: a page has up to 16,800 of them, and as rows, or with
 * their times, they cost more to send than to add up.
 */
export async function fillBuckets(client: pg.PoolClient, question: Question, groups: readonly Group[]): Promise<void> {
  const { accountId, filters, window, resolution, groupBy } = question
  const grain = grainOf(resolution)
  const pieces = coverOf(window, coarsest[resolution])
  const starts = bucketsOf(window, resolution)
  const parameters = new Parameters()
  const condition = conditionOf(accountId, filters, parameters)
  const keys = keysOf(groupBy, groups, parameters)
  const events = bucketsOfEvents(condition, pieces, grain, parameters)
  const { rows } = await client.query(
    `with page as materialized (
       select ordinal, array_agg(id) as ids from usage_series join ${keys} where ${condition} group by ordinal)
     ${events.length > 0 ? `, ragged as materialized (select * from (${events.join(' union all ')}) events join ${keys})` : ''}
     select ordinal::integer, points from page cross join lateral (
       select string_agg(coalesce(${point(groupBy)}, ''), ',' order by n) as points
       from unnest(${parameters.add(starts)}::timestamptz[]) with ordinality steps (bucket, n)
       left join (${sumsOf(pieces, grain, parameters)}) sums using (bucket)) series`,
    parameters.values,
  )
  for (const { ordinal, points } of stored(z.array(BucketRow), rows)) addPoints(groups[ordinal - 1], starts, points)
}

/** What is one series and lies there as it is asked for needs no adding up: most resources are, most of the time. */
function sumsOf(pieces: readonly Piece[], grain: Grain, parameters: Parameters): string {
  const series = bucketsOfSeries(pieces, grain, parameters)
  const hasEvents = pieces.some(({ source }) => source === 'event')
  const ofEvents = hasEvents ? ['select bucket, usage, cost from ragged where ragged.ordinal = page.ordinal'] : []
  const added = (also: string) => `select bucket, sum(usage) as usage, sum(cost) as cost
    from (${[...series, ...ofEvents].join(' union all ')}) facts ${also} group by bucket`
  const isPlain = pieces.length === 1 && pieces[0]?.source === grain
  return isPlain
    ? `${series.join()} and cardinality(ids) = 1 union all ${added('where cardinality(ids) > 1')}`
    : added('')
}

/** The groups by their positions on the page, joined by what they are grouped by. */
function keysOf(groupBy: readonly Grouping[], groups: readonly Group[], parameters: Parameters): string {
  if (groupBy.length === 0) return '(select 1 as ordinal) groups on true'
  const lists = groupBy.map((_, at) => `${parameters.add(groups.map(({ key }) => key[at]))}::text[]`)
  const names = groupBy.map((_, at) => `key_${at}`)
  const same = groupBy.map((each, at) => `${columns[each]} = key_${at}`)
  return `unnest(${lists.join(', ')}) with ordinality groups (${names.join(', ')}, ordinal) on ${same.join(' and ')}`
}

/** Usage that nobody is shown is neither summed nor sent. */
const point = (groupBy: readonly Grouping[]) =>
  showsUsage(groupBy) ? "cost::text || ' ' || usage::text" : 'cost::text'

function addPoints(group: Group | undefined, starts: readonly Date[], points: string): void {
  for (const [at, point] of points.split(',').entries()) {
    const [cost, usage = '0'] = point.split(' ')
    if (cost) group?.buckets.set(starts[at]?.getTime() ?? 0, { cost, usage })
  }
}
