import type { approvalOutcomes } from './approval.ts'
import { type Cause, explain } from './cause.ts'
import { purposeOf } from './connect-session.ts'
import type { Connection } from './connection.ts'
import type { Revocation } from './connection-task.ts'
import type { Link } from './link.ts'
import type { ConnectionNames } from './linking/connection-names.ts'

export type EventDraft = Omit<TenantEvent, 'id'>

export const failureEvent = (link: Link & { cause: Cause }): EventDraft => ({
  name: 'link.failed',
  payload: {
    ...aboutLink(link),
    ...(link.kind === 'relink' && { connectionId: link.connectionId }),
    cause: explain(link.cause),
  },
  traceparent: link.traceparent,
})

export const successEvent = (link: Link): EventDraft => ({
  name: 'link.succeeded',
  payload: { ...aboutLink(link), connectionId: link.connectionId, ...namesOf(link) },
  traceparent: link.traceparent,
})

export const relinkedEvent = (link: Link): EventDraft => ({
  ...successEvent(link),
  name: 'connection.relinked',
})

export const needsRelinkEvent = (connection: Connection, cause: Cause): EventDraft => ({
  name: 'connection.needs_relink',
  payload: { ...aboutConnection(connection), cause: explain(cause) },
})

export const healthUnknownEvent = (connection: Connection, cause: Cause, since: Date): EventDraft => ({
  name: 'connection.health_unknown',
  payload: { ...aboutConnection(connection), since: since.toISOString(), cause: explain(cause) },
})

export const grantEndsSoonEvent = (connection: Connection, endsAt: Date): EventDraft => ({
  name: 'connection.grant_ends_soon',
  payload: { ...aboutConnection(connection), endsAt: endsAt.toISOString() },
})

export const toolsChangedEvent = (connection: Connection, held: ToolCounts | undefined): EventDraft => ({
  name: 'connection.tools_changed',
  payload: { ...aboutConnection(connection), held: held !== undefined, ...held },
})

type ToolCounts = { added: number; removed: number; changed: number }

export const approvalRequestedEvent = (
  connection: Connection,
  { id, tool, url, expiresAt }: { id: string; tool: string; url: string; expiresAt: Date },
): EventDraft => ({
  name: 'connection.approval_requested',
  payload: { ...aboutConnection(connection), approvalId: id, tool, url, expiresAt: expiresAt.toISOString() },
})

export const approvalDecidedEvent = (
  connection: Connection,
  { id, tool, outcome }: { id: string; tool: string; outcome: (typeof approvalOutcomes)[number] },
): EventDraft => ({
  name: 'connection.approval_decided',
  payload: { ...aboutConnection(connection), approvalId: id, tool, outcome },
})

export const disconnectedEvent = (connection: Connection, revocation: Revocation | undefined): EventDraft => ({
  name: 'connection.disconnected',
  payload: { ...aboutConnection(connection), ...(revocation && { revocation }) },
})

/** Without the records: they are read when the event is sent, so an erasure also removes their personal data. */
export const auditRecordedEvent = (first: number, last: number): EventDraft => ({
  name: 'audit.recorded',
  payload: { first, last },
})

export const deletedEvent = (): EventDraft => ({ name: 'tenant.deleted', payload: {} })

export const erasedEvent = (erasureId: string): EventDraft => ({ name: 'end_user.erased', payload: { erasureId } })

/** Only the user ID: messages are stored and retried, so they contain no names or email addresses. */
const aboutLink = ({ id, sessionId, integration, endUser, kind }: Link) => ({
  linkId: id,
  purpose: purposeOf(kind === 'relink'),
  connectSessionId: sessionId,
  integrationId: integration,
  endUser: { id: endUser.id },
})

const aboutConnection = ({ id, integration, endUserId, ...names }: Connection) => ({
  connectionId: id,
  integrationId: integration,
  endUser: { id: endUserId },
  ...namesOf(names),
})

const namesOf = ({ alias, labels }: ConnectionNames) => ({
  ...(alias !== undefined && { alias }),
  ...(labels && { labels }),
})

export type TenantEvent = {
  id: string
  name: TenantEventName
  payload: Record<string, unknown>
  traceparent?: string | undefined
}

export const tenantEventNames = [
  'link.succeeded',
  'link.failed',
  'connection.relinked',
  'connection.needs_relink',
  'connection.health_unknown',
  'connection.grant_ends_soon',
  'connection.tools_changed',
  'connection.approval_requested',
  'connection.approval_decided',
  'connection.disconnected',
  'end_user.erased',
  'tenant.deleted',
  'audit.recorded',
] as const

export type TenantEventName = (typeof tenantEventNames)[number]

/** Created only if an endpoint names it. */
export const optInEvent: TenantEventName = 'audit.recorded'

export const defaultEventNames = tenantEventNames.filter((name) => name !== optInEvent)
