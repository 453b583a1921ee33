import type { EntryOf } from '../domain/audit/audit-entry.ts'
import type { Ports } from '../domain/ports/ports.ts'

type Refusal = EntryOf<'callback.rejected' | 'authz.denied' | 'csrf.rejected' | 'console.denied'>

/** Limits the entries that one API key can cause in the audit logs of other tenants. */
export const foreignRule = { name: 'foreign', max: 300, windowSeconds: 900, uncounted: 'allowed' } as const

export async function noteRefusal({ audit, rates }: Pick<Ports, 'audit' | 'rates'>, refusal: Refusal): Promise<void> {
  if (refusal.action === 'authz.denied' && (await rates.take(foreignRule, refusal.actor.id ?? ''))) return
  await audit.note(refusal)
}
