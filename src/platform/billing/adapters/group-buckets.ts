import type pg from 'pg'
import { z } from 'zod'
import type { Grouping } from '../../../contract/billing/metrics.ts'
import { rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { showsUsage } from '../domain/grouping.ts'
import type { Group, Question } from '../domain/ports.ts'
import type { Grain } from '../domain/window.ts'
import { bucketsOf, coverOf, grainOf, type Piece } from '../domain/window.ts'
import { bucketsOfEvents, bucketsOfSeries, columns, conditionOf } from './facts.ts'

const BucketRow = z.object({ ordinal: z.number(), points: z.string() })

const coarsest = { hourly: 'hour', daily: 'day', weekly: 'day', monthly: 'month' } as const

/** Sums each group separately, to fit into the CPU cache. One row per group: a page has up to 16,800 buckets. */
export async function fillBuckets(client: pg.PoolClient, question: Question, groups: readonly Group[]): Promise<void> {
  const { accountId, filters, window, resolution, groupBy } = question
  const grain = grainOf(resolution)
  const pieces = coverOf(window, coarsest[resolution])
  const starts = bucketsOf(window, resolution)
  const condition = conditionOf(accountId, filters)
  const keys = keysOf(groupBy, groups)
  const events = bucketsOfEvents(condition, pieces, grain)
  const ragged = sql`, ragged as materialized (
    select * from (${sql.join(events, ' union all ')}) events join ${keys})`
  const filled = await rows(
    client,
    BucketRow,
    sql`with page as materialized (
        select ordinal, array_agg(id) as ids from usage_series join ${keys} where ${condition} group by ordinal)
      ${events.length > 0 ? ragged : sql``}
      select ordinal::integer, points from page cross join lateral (
        select string_agg(coalesce(${point(groupBy)}, ''), ',' order by n) as points
        from unnest(${starts}::timestamptz[]) with ordinality steps (bucket, n)
        left join (${sumsOf(pieces, grain)}) sums using (bucket)) series`,
  )
  for (const { ordinal, points } of filled) addPoints(groups[ordinal - 1], starts, points)
}

/** A group of one series whose sums have the requested grain needs no summing. Most groups are like that. */
function sumsOf(pieces: readonly Piece[], grain: Grain): Sql {
  const series = bucketsOfSeries(pieces, grain)
  const hasEvents = pieces.some(({ source }) => source === 'event')
  const ofEvents = hasEvents ? [sql`select bucket, usage, cost from ragged where ragged.ordinal = page.ordinal`] : []
  const added = (also: Sql) => sql`select bucket, sum(usage) as usage, sum(cost) as cost
    from (${sql.join([...series, ...ofEvents], ' union all ')}) facts ${also} group by bucket`
  const isPlain = pieces.length === 1 && pieces[0]?.source === grain
  return isPlain
    ? sql`${sql.join(series)} and cardinality(ids) = 1 union all ${added(sql`where cardinality(ids) > 1`)}`
    : added(sql``)
}

function keysOf(groupBy: readonly Grouping[], groups: readonly Group[]): Sql {
  if (groupBy.length === 0) return sql`(select 1 as ordinal) groups on true`
  const lists = groupBy.map((_, at) => sql`${groups.map(({ key }) => key[at] ?? '')}::text[]`)
  const names = groupBy.map((_, at) => sql.identifier(`key_${at}`))
  const same = groupBy.map((each, at) => sql`${columns[each]} = ${sql.identifier(`key_${at}`)}`)
  return sql`unnest(${sql.join(lists)}) with ordinality groups (${sql.join(names)}, ordinal)
    on ${sql.join(same, ' and ')}`
}

/** Hidden usage is neither summed nor sent. */
const point = (groupBy: readonly Grouping[]): Sql =>
  showsUsage(groupBy) ? sql`cost::text || ' ' || usage::text` : sql`cost::text`

function addPoints(group: Group | undefined, starts: readonly Date[], points: string): void {
  for (const [at, point] of points.split(',').entries()) {
    const [cost, usage = '0'] = point.split(' ')
    if (cost) group?.buckets.set(starts[at]?.getTime() ?? 0, { cost, usage })
  }
}
