// The series of a page of groups, bucket by bucket.
import type pg from 'pg'
import { z } from 'zod'
import type { Grouping } from '../../../contract/billing/metrics.ts'
import { Parameters } from '../../../kit/database/prepared.ts'
import { showsUsage } from '../domain/grouping.ts'
import type { Group, Question } from '../domain/ports.ts'
import { coverOf, grainOf } from '../domain/window.ts'
import { bucketsOfEvents, bucketsOfSeries, columns, conditionOf } from './facts.ts'

const BucketRow = z.object({ ordinal: z.number(), points: z.string() })

const coarsest = { hourly: 'hour', daily: 'day', weekly: 'day', monthly: 'month' } as const

/**
 * Each group is summed by itself: its few hundred sums stay in the processor's cache, those of all groups together do
 * not. One row a group comes back: a page has up to 16,800 buckets, and as rows they cost more to read than to add up.
 */
export async function fillBuckets(client: pg.PoolClient, question: Question, groups: readonly Group[]): Promise<void> {
  const { accountId, filters, window, resolution, groupBy } = question
  const grain = grainOf(resolution)
  const pieces = coverOf(window, coarsest[resolution])
  const parameters = new Parameters()
  const condition = conditionOf(accountId, filters, parameters)
  const keys = keysOf(groupBy, groups, parameters)
  const events = bucketsOfEvents(condition, pieces, grain, parameters)
  const ofEvents =
    events.length > 0 ? ['select bucket, usage, cost from ragged where ragged.ordinal = page.ordinal'] : []
  const facts = [...bucketsOfSeries(pieces, grain, parameters), ...ofEvents]
  const { rows } = await client.query(
    `with page as materialized (
       select ordinal, array_agg(id) as ids from usage_series join ${keys} where ${condition} group by ordinal)
     ${events.length > 0 ? `, ragged as materialized (select * from (${events.join(' union all ')}) events join ${keys})` : ''}
     select ordinal::integer, points from page cross join lateral (
       select string_agg(${point(groupBy)}, ',') as points from (
         select bucket, sum(cost) as cost, sum(usage) as usage from (${facts.join(' union all ')}) facts group by bucket
       ) buckets) series
     where points is not null`,
    parameters.values,
  )
  for (const { ordinal, points } of z.array(BucketRow).parse(rows)) addPoints(groups[ordinal - 1]?.buckets, points)
}

/** The groups by their places on the page, joined by what they are grouped by. */
function keysOf(groupBy: readonly Grouping[], groups: readonly Group[], parameters: Parameters): string {
  if (groupBy.length === 0) return '(select 1 as ordinal) groups on true'
  const lists = groupBy.map((_, at) => `${parameters.add(groups.map(({ key }) => key[at]))}::text[]`)
  const names = groupBy.map((_, at) => `key_${at}`)
  const same = groupBy.map((each, at) => `${columns[each]} = key_${at}`)
  return `unnest(${lists.join(', ')}) with ordinality groups (${names.join(', ')}, ordinal) on ${same.join(' and ')}`
}

/** Usage that nobody is shown is neither summed nor sent. */
const point = (groupBy: readonly Grouping[]) =>
  `date_part('epoch', bucket)::bigint::text || ' ' || cost::text${showsUsage(groupBy) ? " || ' ' || usage::text" : ''}`

/** Walks along the text: cutting it into lists of lists first takes longer than all that is done with them. */
function addPoints(buckets: Group['buckets'] | undefined, points: string): void {
  for (let from = 0; from < points.length; ) {
    const cost = points.indexOf(' ', from) + 1
    const comma = points.indexOf(',', cost)
    const end = comma < 0 ? points.length : comma
    const space = points.indexOf(' ', cost)
    const hasUsage = space >= 0 && space < end
    buckets?.set(Number(points.slice(from, cost - 1)) * 1000, {
      cost: points.slice(cost, hasUsage ? space : end),
      usage: hasUsage ? points.slice(space + 1, end) : '0',
    })
    from = end + 1
  }
}
