import type { Snapshot } from '../../../src/onboarding/domain/audit/audit.ts'
import type { AuditEntry } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Audit } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Store } from './tables.ts'

export type NotedEntry = { at: Date; entry: AuditEntry; erasure?: string }

export const memoryAudit = (store: Store): Audit =>
  ({
    note: async (entry) => note(store, entry),
  }) satisfies Partial<Audit> as Audit

export function note({ tables, now }: Store, entry: AuditEntry): void {
  tables.audit.push({ at: now(), entry })
}

/** Adds the state before and after, which only the ledger knows. */
export const withChange = <Entry extends AuditEntry>(
  entry: Entry,
  change: { before?: Snapshot | undefined; after?: Snapshot },
): Entry => ({ ...entry, ...change })

export const withAfter = <Entry extends AuditEntry>(entry: Entry, more: Snapshot): Entry => ({
  ...entry,
  after: { ...entry.after, ...more },
})
