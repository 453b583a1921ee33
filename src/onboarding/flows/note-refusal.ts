import type { AuditEntry } from '../domain/audit.ts'
import type { Audit } from '../domain/ports/shared.ts'

export type Refusal = Pick<AuditEntry, 'actor' | 'tenant'> & {
  action: 'callback.rejected' | 'authz.denied' | 'csrf.rejected' | 'console.denied'
  reason: string
}

/** Records a request that was refused before it reached a flow. */
export const noteRefusal =
  ({ audit }: { audit: Audit }) =>
  (refusal: Refusal): Promise<void> =>
    audit.note(refusal)
