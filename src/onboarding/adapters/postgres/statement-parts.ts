import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../domain/audit.ts'
import { auditRow, auditTypes } from './audit.ts'

export const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

/** The audit entry as one more part of a statement; it is written only when `source` yielded a row. */
export function noted(audit: AuditEntry, source: string): RawBuilder<unknown> {
  const row = auditRow(audit)
  const columns = Object.keys(row).map((name) => sql.ref(name))
  const values = Object.entries(row).map(([name, value]) => sql`${value}::${sql.raw(auditTypes[name] ?? 'text')}`)
  return sql`noted as (insert into audit (${sql.join(columns)}) select ${sql.join(values)} from ${sql.table(source)})`
}
