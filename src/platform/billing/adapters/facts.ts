import type { Grouping } from '../../../contract/billing/metrics.ts'
import { type Sql, sql } from '../../../kit/database/sql.ts'
import type { Filters } from '../domain/ports.ts'
import type { Grain, Piece } from '../domain/window.ts'

export const columns: Record<Grouping, Sql> = {
  workspace: sql`workspace`,
  resource_type: sql`resource_type`,
  resource_name: sql`resource_name`,
  resource_uuid: sql`resource_uuid`,
  billing_dimension: sql`dimension`,
}

const filterColumns: Record<keyof Filters, Sql> = {
  workspace: columns.workspace,
  resourceType: columns.resource_type,
  resourceName: columns.resource_name,
  resourceUuid: columns.resource_uuid,
  billingDimension: columns.billing_dimension,
}

export function conditionOf(accountId: string, filters: Filters): Sql {
  const compared = (Object.keys(filterColumns) as Array<keyof Filters>).flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [sql`${filterColumns[name]} = ${value}`]
  })
  return sql.join([sql`account_id = ${accountId}`, ...compared], ' and ')
}

const dimensionColumns = sql.join(Object.values(columns))

const within = (column: Sql, { start, end }: Piece): Sql => sql`${column} >= ${start} and ${column} < ${end}`

const sumsOf = ({ source }: Piece): Sql => sql.identifier(`usage_${source}s`)

const isEvents = ({ source }: Piece) => source === 'event'

const unionAll = (parts: readonly Sql[]): Sql => sql.join(parts, ' union all ')

/** Starts from the series: there are far fewer series than sums, and other accounts must not add cost. */
export function factsOf(condition: Sql, pieces: readonly Piece[]): Sql {
  const sums = pieces
    .filter((piece) => !isEvents(piece))
    .map((piece) => sql`select usage, cost from ${sumsOf(piece)} where series = s.id and ${within(sql`bucket`, piece)}`)
  const events = pieces.filter(isEvents).map(
    (piece) => sql`select ${dimensionColumns}, quantity as usage, cost
      from usage_events where ${condition} and ${within(sql`counted_at`, piece)}`,
  )
  const summed = sql`select ${dimensionColumns}, usage, cost from usage_series s
    cross join lateral (
      select sum(usage) as usage, sum(cost) as cost from (${unionAll(sums)}) parts having count(*) > 0) sums
    where ${condition}`
  return unionAll([...(sums.length > 0 ? [summed] : []), ...events])
}

const bucketIn = (grain: Grain, column: Sql): Sql => sql`date_trunc(${sql.literal(grain)}, ${column}, 'UTC')`

/** Rows of (bucket, usage, cost) of the series in `ids`. Sums of the same grain are used as they are. */
export function bucketsOfSeries(pieces: readonly Piece[], grain: Grain): Sql[] {
  const bucketOf = ({ source }: Piece) =>
    source === grain ? sql`bucket` : sql`${bucketIn(grain, sql`bucket`)} as bucket`
  return pieces
    .filter((piece) => !isEvents(piece))
    .map(
      (piece) => sql`select ${bucketOf(piece)}, usage, cost
        from ${sumsOf(piece)} where series = any(ids) and ${within(sql`bucket`, piece)}`,
    )
}

/** Rows of (dimensions, bucket, usage, cost) of single events. Empty if the window ends on full hours. */
export function bucketsOfEvents(condition: Sql, pieces: readonly Piece[], grain: Grain): Sql[] {
  return pieces.filter(isEvents).map(
    (piece) => sql`select ${dimensionColumns}, ${bucketIn(grain, sql`counted_at`)} as bucket, quantity as usage, cost
      from usage_events where ${condition} and ${within(sql`counted_at`, piece)}`,
  )
}
