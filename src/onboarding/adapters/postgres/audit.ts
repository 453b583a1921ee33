import type { Insertable, Transaction } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { WireValue } from '../../../kit/database/prepared.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import type { LedgerSchema } from './schema.ts'

type AuditColumns = Insertable<LedgerSchema['audit']>

/** Each value of an audit row in its type: a parameter in a select has none of its own. */
export const auditTypes = {
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
} as const satisfies Record<keyof Omit<AuditColumns, 'id' | 'at'>, string>

export const auditRow = ({ actor, ...entry }: AuditEntry): Pick<AuditColumns, keyof typeof auditTypes> => ({
  action: entry.action,
  subject_kind: entry.subject?.kind ?? null,
  subject_id: entry.subject?.id ?? null,
  facts: JSON.stringify(entry.facts ?? {}),
  actor_kind: actor.kind,
  actor_id: actor.id ?? null,
  actor_name: actor.name ?? null,
  tenant: entry.tenant ?? null,
  link: entry.link ?? null,
  connection: entry.connection ?? null,
  reason: entry.reason ?? null,
  request_id: actor.requestId ?? null,
  address: actor.address ?? null,
  before: entry.before ? JSON.stringify(entry.before) : null,
  after: entry.after ? JSON.stringify(entry.after) : null,
})

/** The same row for statements that are written as text. */
export const auditColumns = Object.entries(auditTypes).map(([name, type]) => ({ name, type }))

export function auditValues(audit: AuditEntry): WireValue[] {
  const row = auditRow(audit) as Record<string, WireValue>
  return auditColumns.map(({ name }) => row[name])
}

/** Makes a change and notes it, both or neither. False, and no note, when nothing was there to change. */
export const changeAudited = (
  db: Database<LedgerSchema>,
  audit: AuditEntry,
  change: (transaction: Transaction<LedgerSchema>) => Promise<bigint>,
): Promise<boolean> =>
  db.transaction().execute(async (transaction) => {
    if ((await change(transaction)) === 0n) return false
    await transaction.insertInto('audit').values(auditRow(audit)).execute()
    return true
  })

export const postgresAudit = (db: Database<LedgerSchema>): Audit => ({
  async note(entry) {
    await db.insertInto('audit').values(auditRow(entry)).execute()
  },
})
