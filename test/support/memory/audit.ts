// The record in memory, and what the ledger adds to an entry.
import type { Snapshot } from '../../../src/onboarding/domain/audit/audit.ts'
import type { AuditEntry } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Audit } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Store } from './tables.ts'

/** `erasure`: what took a person out of it. */
export type NotedEntry = { at: Date; entry: AuditEntry; erasure?: string }

export const memoryAudit = (store: Store): Audit => ({
  note: async (entry) => note(store, entry),
})

export function note({ tables, now }: Store, entry: AuditEntry): void {
  tables.audit.push({ at: now(), entry })
}

/** What only the ledger knows when it writes: how a thing was before, and how it is now. */
export const withChange = <Entry extends AuditEntry>(
  entry: Entry,
  change: { before?: Snapshot | undefined; after?: Snapshot },
): Entry => ({ ...entry, ...change })

export const withAfter = <Entry extends AuditEntry>(entry: Entry, more: Snapshot): Entry => ({
  ...entry,
  after: { ...entry.after, ...more },
})
