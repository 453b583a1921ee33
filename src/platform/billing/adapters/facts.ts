// How a part of a window is read: from sums, or from the events at its ragged ends.
import type { Grouping } from '../../../contract/billing/metrics.ts'
import type { Parameters } from '../../../kit/database/prepared.ts'
import type { Grain } from '../domain/calendar.ts'
import type { Filters } from '../domain/ports.ts'
import type { Piece } from '../domain/window.ts'

export const columns: Record<Grouping, string> = {
  workspace: 'workspace',
  resource_type: 'resource_type',
  resource_name: 'resource_name',
  resource_uuid: 'resource_uuid',
  billing_dimension: 'dimension',
}

const filterColumns: Record<keyof Filters, string> = {
  workspace: 'workspace',
  resourceType: 'resource_type',
  resourceName: 'resource_name',
  resourceUuid: 'resource_uuid',
  billingDimension: 'dimension',
}

/** Events and series name their columns alike, so one condition serves both. */
export function conditionOf(accountId: string, filters: Filters, parameters: Parameters): string {
  const given = (Object.keys(filterColumns) as Array<keyof Filters>).filter((name) => filters[name] !== undefined)
  const compared = given.map((name) => `${filterColumns[name]} = ${parameters.add(filters[name])}`)
  return [`account_id = ${parameters.add(accountId)}`, ...compared].join(' and ')
}

const dimensionColumns = Object.values(columns).join(', ')

const within = (column: string, { start, end }: Piece, parameters: Parameters) =>
  `${column} >= ${parameters.add(start)} and ${column} < ${parameters.add(end)}`

const isEvents = ({ source }: Piece) => source === 'event'

/**
 * Rows of (dimensions, usage, cost). Series come first and their sums are looked up one by one: there are far fewer
 * series than sums, and an account's cost must not grow with what other accounts do.
 */
export function factsOf(condition: string, pieces: readonly Piece[], parameters: Parameters): string {
  const sums = pieces
    .filter((piece) => !isEvents(piece))
    .map(
      (piece) =>
        `select usage, cost from usage_${piece.source}s where series = s.id and ${within('bucket', piece, parameters)}`,
    )
  const events = pieces.filter(isEvents).map(
    (piece) => `select ${dimensionColumns}, quantity as usage, cost
      from usage_events where ${condition} and ${within('counted_at', piece, parameters)}`,
  )
  const summed = `select ${dimensionColumns}, usage, cost from usage_series s
    cross join lateral (
      select sum(usage) as usage, sum(cost) as cost from (${sums.join(' union all ')}) parts having count(*) > 0) sums
    where ${condition}`
  return [...(sums.length > 0 ? [summed] : []), ...events].join(' union all ')
}

/** The start of the bucket that a column's time is in. */
const bucketIn = (grain: Grain, column: string) => `date_trunc('${grain}', ${column}, 'UTC')`

/** Rows of (bucket, usage, cost) of the series whose ids are in `ids`. What lies in sums of that very size is not cut. */
export function bucketsOfSeries(pieces: readonly Piece[], grain: Grain, parameters: Parameters): string[] {
  return pieces
    .filter((piece) => !isEvents(piece))
    .map(
      (piece) => `select ${piece.source === grain ? 'bucket' : `${bucketIn(grain, 'bucket')} as bucket`}, usage, cost
      from usage_${piece.source}s where series = any(ids) and ${within('bucket', piece, parameters)}`,
    )
}

/** Rows of (dimensions, bucket, usage, cost) of single events; none where the window ends on full hours. */
export function bucketsOfEvents(
  condition: string,
  pieces: readonly Piece[],
  grain: Grain,
  parameters: Parameters,
): string[] {
  return pieces.filter(isEvents).map(
    (piece) => `select ${dimensionColumns}, ${bucketIn(grain, 'counted_at')} as bucket, quantity as usage, cost
      from usage_events where ${condition} and ${within('counted_at', piece, parameters)}`,
  )
}
