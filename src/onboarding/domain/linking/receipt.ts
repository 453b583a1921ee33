// The receipt of a token response has no audit entry. The next entry of the link has its time, and until then the link.
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Link, LinkState } from '../link.ts'

export const isReceipt = ({ state }: Link, to: LinkState): boolean => state === 'exchanging' && to === 'escrowed'

/** Undefined if the move has no entry. */
export function entryOfMove(link: Link, to: LinkState, audit: AuditEntry): AuditEntry | undefined {
  if (isReceipt(link, to)) return undefined
  if (!link.receivedAt) return audit
  return { ...audit, facts: { ...audit.facts, receivedAt: link.receivedAt.toISOString() } } as AuditEntry
}
