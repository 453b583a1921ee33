import type { EntryOf } from '../domain/audit/audit-entry.ts'
import type { Audit } from '../domain/ports/shared.ts'

export type Refusal = EntryOf<'callback.rejected' | 'authz.denied' | 'csrf.rejected' | 'console.denied'>

/** Records a request that was refused before it reached a flow. */
export const noteRefusal =
  ({ audit }: { audit: Audit }) =>
  (refusal: Refusal): Promise<void> =>
    audit.note(refusal)
