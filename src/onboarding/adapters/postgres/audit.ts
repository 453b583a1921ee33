import type pg from 'pg'
import type { WireValue } from '../../../kit/database/prepared.ts'
import { execute, type Queryable, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Audit } from '../../domain/ports/shared.ts'

/** Casts, because parameters in a select have no type. */
const types = {
  action: 'text',
  subject_kind: 'text',
  subject_id: 'text',
  facts: 'jsonb',
  actor_kind: 'text',
  actor_id: 'text',
  actor_name: 'text',
  tenant: 'text',
  link: 'text',
  connection: 'text',
  reason: 'text',
  request_id: 'text',
  address: 'text',
  before: 'jsonb',
  after: 'jsonb',
} as const

type AuditColumn = keyof typeof types

export const auditRow = (entry: AuditEntry): Record<AuditColumn, string | null> => ({
  action: entry.action,
  subject_kind: entry.subject?.kind ?? null,
  subject_id: entry.subject?.id ?? null,
  facts: JSON.stringify(entry.facts ?? {}),
  actor_kind: entry.actor.kind,
  actor_id: entry.actor.id ?? null,
  actor_name: entry.actor.name ?? null,
  tenant: entry.tenant ?? null,
  link: entry.link ?? null,
  connection: entry.connection ?? null,
  reason: entry.reason ?? null,
  request_id: entry.actor.requestId ?? null,
  address: entry.actor.address ?? null,
  before: entry.before ? JSON.stringify(entry.before) : null,
  after: entry.after ? JSON.stringify(entry.after) : null,
})

export const auditColumns = (Object.keys(types) as AuditColumn[]).map((name) => ({ name, type: types[name] }))

export const auditNames = sql.join(auditColumns.map(({ name }) => sql.identifier(name)))

export function auditValues(audit: AuditEntry): WireValue[] {
  const row = auditRow(audit)
  return auditColumns.map(({ name }) => row[name])
}

export async function noteAudit(connection: Queryable, audit: AuditEntry): Promise<void> {
  const row = auditRow(audit)
  const values = sql.join(auditColumns.map(({ name }) => row[name]))
  await execute(connection, sql`insert into audit (${auditNames}) values (${values})`)
}

/** In one transaction. Returns false and writes no audit entry if no row changed. */
export const changeAudited = (
  pool: pg.Pool,
  audit: AuditEntry,
  change: (transaction: Queryable) => Promise<number>,
): Promise<boolean> =>
  inTransaction(pool, async (transaction) => {
    if ((await change(transaction)) === 0) return false
    await noteAudit(transaction, audit)
    return true
  })

export const postgresAudit = (pool: pg.Pool): Audit => ({ note: (entry) => noteAudit(pool, entry) })
