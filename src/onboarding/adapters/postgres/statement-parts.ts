import { type Sql, type SqlValue, sql } from '../../../kit/database/sql.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Sight } from '../../domain/tenant.ts'
import type { TenantEvent } from '../../domain/tenant-event.ts'
import { testTenantPrefix } from '../../domain/test-mode/test-mode.ts'
import { auditColumns, auditNames, auditRow } from './audit.ts'

export const inSeconds = (seconds: number): Sql => sql`now() + make_interval(secs => ${seconds})`

export function matching(wanted: Readonly<Record<string, SqlValue | undefined>>): Sql {
  const conditions = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(name)} = ${value}`],
  )
  return conditions.length === 0 ? sql`true` : sql.join(conditions, ' and ')
}

/** Undefined matches both modes. Rows without a tenant are live. */
export const inMode = (testMode: Sight['testMode'], column = 'tenant'): Sql =>
  testMode === undefined
    ? sql`true`
    : sql`coalesce(starts_with(${sql.identifier(column)}, ${testTenantPrefix}), false) = ${testMode}`

/** A CTE, only if `source` returns a row. `learnt` adds values to `after` that only the statement knows. */
export function noted(audit: AuditEntry, source: string, name = 'noted', learnt = sql``): Sql {
  const row = auditRow(audit)
  const values = auditColumns.map(({ name, type }) =>
    name === 'after'
      ? sql`${row[name]}::${sql.identifier(type)} ${learnt}`
      : sql`${row[name]}::${sql.identifier(type)}`,
  )
  return sql`${sql.identifier(name)} as (
    insert into audit (${auditNames}) select ${sql.join(values)} from ${sql.identifier(source)}
  )`
}

/** Writes a tenant event as a CTE; `source` must return the tenant. */
export const announced = (
  { id, name, payload, traceparent }: TenantEvent,
  source: string,
  part = 'announced',
): Sql => sql`
${sql.identifier(part)} as (
  insert into outbox (id, tenant, event, payload, traceparent)
  select ${id}, tenant, ${name}, ${JSON.stringify(payload)}::jsonb, ${traceparent ?? null}::text from ${sql.identifier(source)}
)`
