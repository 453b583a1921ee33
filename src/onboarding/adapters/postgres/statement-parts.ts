import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { TenantEvent } from '../../domain/tenant-event.ts'
import { auditRow, auditTypes } from './audit.ts'

export const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

/**
 * The audit entry as one more part of a statement; it is written only when `source` yielded a row. `learnt` adds to what
 * is noted as `after` what only the statement itself knows.
 */
export function noted(audit: AuditEntry, source: string, name = 'noted', learnt = sql``): RawBuilder<unknown> {
  const row = auditRow(audit)
  const columns = Object.keys(row).map((name) => sql.ref(name))
  const values = Object.entries(row).map(
    ([name, value]) =>
      sql`${value}::${sql.raw(auditTypes[name as keyof typeof auditTypes])} ${name === 'after' ? learnt : sql``}`,
  )
  return sql`${sql.ref(name)} as (insert into audit (${sql.join(columns)}) select ${sql.join(values)} from ${sql.table(source)})`
}

/** A word to the tenant as one more part of a statement; `source` yields its tenant, or nothing is said. */
export const announced = ({ id, name, payload }: TenantEvent, source: string): RawBuilder<unknown> => sql`announced as (
  insert into outbox (id, tenant, event, payload)
  select ${id}, tenant, ${name}, ${JSON.stringify(payload)}::jsonb from ${sql.table(source)}
)`
