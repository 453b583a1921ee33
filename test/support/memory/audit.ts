// The record in memory, and every place that looks into an entry or adds to it.
import type { AuditEntry, Snapshot } from '../../../src/onboarding/domain/audit.ts'
import type { TimelineEntry } from '../../../src/onboarding/domain/ports/provisioning.ts'
import type { Audit } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Store } from './tables.ts'

export type NotedEntry = { at: Date; entry: AuditEntry }

export const memoryAudit = (store: Store): Audit => ({
  note: async (entry) => note(store, entry),
})

export function note({ tables, now }: Store, entry: AuditEntry): void {
  tables.audit.push({ at: now(), entry })
}

/** What only the ledger knows when it writes: how a thing was before, and how it is now. */
export const withChange = (
  entry: AuditEntry,
  change: { before?: Snapshot | undefined; after?: Snapshot },
): AuditEntry => ({
  ...entry,
  ...change,
})

export const withAfter = (entry: AuditEntry, more: Snapshot): AuditEntry => ({
  ...entry,
  after: { ...entry.after, ...more },
})

/** The key or webhook that an entry is about and that has a name only once it is made. */
export const withReason = (entry: AuditEntry, reason: string): AuditEntry => ({ ...entry, reason })

export const timelineOf = ({ tables }: Store, linkId: string): TimelineEntry[] =>
  tables.audit
    .filter(({ entry }) => entry.link === linkId)
    .map(({ at, entry }) => ({ at, action: entry.action, reason: entry.reason, requestId: entry.actor.requestId }))
