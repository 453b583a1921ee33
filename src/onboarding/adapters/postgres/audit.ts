import type { Insertable, Transaction } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { WireValue } from '../../../kit/database/prepared.ts'
import type { AuditEntry } from '../../domain/audit.ts'
import type { Audit } from '../../domain/ports.ts'
import type { LedgerSchema } from './schema.ts'

export const auditRow = ({ actor, ...entry }: AuditEntry): Insertable<LedgerSchema['audit']> => ({
  action: entry.action,
  actor_kind: actor.kind,
  actor_id: actor.id ?? null,
  tenant: entry.tenant ?? null,
  link: entry.link ?? null,
  connection: entry.connection ?? null,
  reason: entry.reason ?? null,
  request_id: actor.requestId ?? null,
  address: actor.address ?? null,
  before: entry.before ? JSON.stringify(entry.before) : null,
  after: entry.after ? JSON.stringify(entry.after) : null,
})

/** Each value of an audit row in its type: a parameter in a select has none of its own. */
export const auditTypes: Record<string, string> = { before: 'jsonb', after: 'jsonb' }

/** The same row for statements that are written as text. */
export const auditColumns = Object.keys(auditRow({ action: '', actor: { kind: 'worker' } })).map((name) => ({
  name,
  type: auditTypes[name] ?? 'text',
}))

export const auditValues = (audit: AuditEntry): WireValue[] => Object.values(auditRow(audit)) as WireValue[]

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
