import type { Insertable, Selectable, Transaction } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { WireValue } from '../../../kit/database/prepared.ts'
import type { AuditEntry, Snapshot } from '../../domain/audit.ts'
import type { TimelineEntry } from '../../domain/ports/provisioning.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import type { LedgerSchema } from './schema.ts'

export const auditRow = ({ actor, ...entry }: AuditEntry): Insertable<LedgerSchema['audit']> => ({
  action: entry.action,
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

/** Steps that came together are one entry on record, which says so; who reads of them wants them one by one. */
export function timelineEntriesOf(row: Selectable<LedgerSchema['audit']>): TimelineEntry[] {
  const { at, action } = row
  const { functionMs, verified } = (row.after ?? {}) as Snapshot
  const requestId = row.request_id ?? undefined
  const moments: TimelineEntry[] = [{ at, action, reason: row.reason ?? undefined, requestId }]
  const precede = (before: string, ms = 0) =>
    moments.unshift({ at: new Date(at.getTime() - ms), action: before, reason: undefined, requestId })
  if (verified) precede('link.verified')
  if (typeof functionMs === 'number') {
    if (action !== 'link.function_ready') precede('link.function_ready')
    precede('link.connection_ready', functionMs)
  }
  return moments
}
