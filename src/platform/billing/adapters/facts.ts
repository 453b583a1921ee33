// The one place that knows how to read a part of a window: from sums, or from the events at its ragged ends.
import type { Grouping } from '../../../contract/billing/metrics.ts'
import type { Parameters } from '../../../kit/database/prepared.ts'
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

/**
 * Rows of (dimensions, bucket, usage, cost). Series come first and their sums are looked up one by one: there are
 * far fewer series than sums, and an account's cost must not grow with what other accounts do.
 */
export function factsOf(condition: string, pieces: readonly Piece[], parameters: Parameters): string {
  const range = (column: string, { start, end }: Piece) =>
    `${column} >= ${parameters.add(start)} and ${column} < ${parameters.add(end)}`
  const sums = pieces
    .filter(({ source }) => source !== 'event')
    .map((piece) => `select * from usage_${piece.source}s where series = s.id and ${range('bucket', piece)}`)
  const events = pieces
    .filter(({ source }) => source === 'event')
    .map(
      (piece) => `select ${dimensionColumns}, counted_at as bucket, quantity as usage, cost
      from usage_events where ${condition} and ${range('counted_at', piece)}`,
    )
  const summed = `select ${dimensionColumns}, bucket, usage, cost
    from usage_series s cross join lateral (${sums.join(' union all ')}) sums where ${condition}`
  return [...(sums.length > 0 ? [summed] : []), ...events].join(' union all ')
}
