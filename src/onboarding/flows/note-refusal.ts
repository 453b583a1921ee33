import type { AuditEntry } from '../domain/audit.ts'
import type { Audit } from '../domain/ports/shared.ts'

export type Refusal = Pick<AuditEntry, 'actor' | 'tenant'> & {
  action: 'callback.rejected' | 'authz.denied' | 'csrf.rejected' | 'console.denied'
  reason: string
}

/** For what is turned away at the door, at the edge: a line on record, and nothing else changes. */
export const noteRefusal =
  ({ audit }: { audit: Audit }) =>
  (refusal: Refusal): Promise<void> =>
    audit.note(refusal)
