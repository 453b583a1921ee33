import type { EntryOf } from '../domain/audit/audit-entry.ts'
import type { Audit, RateLimits, SharedPorts } from '../domain/ports/shared.ts'
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

/** More than anybody asks by mistake; after that it is known who reaches for what is not theirs. */
export const foreignRule = { name: 'foreign', most: 300, windowSeconds: 900, uncounted: 'allowed' } as const

/**
 * Records a request that was refused before it reached a flow. Whoever reaches for other tenants' things writes into
 * their logs, so an API key does that so many times and no more. The answer stays the same, or it would tell what exists.
 */
export const noteRefusal =
  ({ audit, rates }: { audit: Audit; rates: RateLimits }) =>
  async (refusal: Refusal): Promise<void> => {
    if (refusal.action === 'authz.denied' && (await rates.take(foreignRule, refusal.actor.id ?? ''))) return
    await audit.note(refusal)
  }
