import type { EntryOf } from '../domain/audit/audit-entry.ts'
import type { Audit, SharedPorts } from '../domain/ports/shared.ts'
import { limitRate } from './limit-rate.ts'
import { runIdempotent } from './run-idempotent.ts'

type Ports = SharedPorts

export const sharedFlows = (ports: Ports) => ({
  runIdempotent: runIdempotent(ports),
  limitRate: limitRate(ports),
  noteRefusal: noteRefusal(ports),
})

export type SharedFlows = ReturnType<typeof sharedFlows>

export type Refusal = EntryOf<'callback.rejected' | 'authz.denied' | 'csrf.rejected' | 'console.denied'>

/** Records a request that was refused before it reached a flow. */
export const noteRefusal =
  ({ audit }: { audit: Audit }) =>
  (refusal: Refusal): Promise<void> =>
    audit.note(refusal)
