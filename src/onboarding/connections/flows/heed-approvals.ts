import { worker } from '../../domain/audit/audit.ts'
import { type AuditEntry, aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Connection } from '../../domain/connection.ts'
import { noneIfAway } from '../../domain/dependency-error.ts'
import type { Approval } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { approvalDecidedEvent, approvalRequestedEvent, type EventDraft } from '../../domain/tenant-event.ts'

const minuteMs = 60 * 1_000

const firstLookMs = 24 * 60 * minuteMs

/** A change may become readable slightly after its timestamp. */
const overlapMs = minuteMs

/** Tells tenants about calls that wait for a person, and what was decided. Every event is sent once, by any process. */
export const heedApprovals = (ports: Ports) => {
  const heeded = new Map<string, Date>()
  let since = new Date(ports.now().getTime() - firstLookMs)
  return async (): Promise<number> => {
    const all = await ports.approvals.since(since).catch(noneIfAway)
    const fresh = all.filter((approval) => !heeded.has(keyOf(approval)))
    for (const approval of fresh) {
      const connection = await ports.connections.named(approval.workspace, approval.connectionName)
      if (connection && connection.status !== 'disconnected') await tell(ports, connection, approval)
      heeded.set(keyOf(approval), approval.changedAt)
    }
    const newest = all.at(-1)
    if (newest) since = new Date(Math.max(since.getTime(), newest.changedAt.getTime() - overlapMs))
    for (const [key, at] of heeded) if (at < since) heeded.delete(key)
    return fresh.length
  }
}

/** A decision may be read before the question was, so the question is always told first. */
async function tell({ eventLog, tokens }: Ports, connection: Connection, approval: Approval): Promise<void> {
  const { id, tool, decision, state, createdAt } = approval
  const append = (what: string, draft: EventDraft, audit: AuditEntry) =>
    eventLog.appendOnce(connection.tenant, { id: tokens.idAt('evt', createdAt, `${id}|${what}`), ...draft }, audit)
  const about = { actor: worker, ...aboutConnection(connection) }
  await append('requested', approvalRequestedEvent(connection, approval), {
    ...about,
    action: 'connection.approval_requested',
    facts: { approval: id, tool },
  })
  if (decision === undefined && state !== 'expired') return
  const outcome = decision ?? 'expired'
  await append('decided', approvalDecidedEvent(connection, { id, tool, outcome }), {
    ...about,
    action: 'connection.approval_decided',
    facts: { approval: id, tool, outcome },
  })
}

const keyOf = ({ id, state, changedAt }: Approval): string => JSON.stringify([id, state, changedAt])
