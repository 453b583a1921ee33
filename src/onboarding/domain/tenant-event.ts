import { type Cause, explain } from './cause.ts'
import { purposeOf } from './connect-session.ts'
import type { Connection } from './connection.ts'
import type { Revocation } from './connection-task.ts'
import type { Link } from './link.ts'

/** An event before it has its id. */
type EventDraft = Omit<TenantEvent, 'id'>

/** Events are small: what happened, and the ids to read the rest by API, with a key. */
export const failureEvent = (link: Link & { cause: Cause }): EventDraft => ({
  name: 'link.failed',
  payload: {
    ...aboutLink(link),
    ...(link.relink && { connectionId: link.connectionId }),
    cause: explain(link.cause),
  },
  traceparent: link.traceparent,
})

export const successEvent = (link: Link): EventDraft => ({
  name: 'link.succeeded',
  payload: { ...aboutLink(link), connectionId: link.connectionId },
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

/** `held`: how many tools wait for approval. Undefined if the change is shown already. */
export const toolsChangedEvent = (connection: Connection, held: ToolCounts | undefined): EventDraft => ({
  name: 'connection.tools_changed',
  payload: { ...aboutConnection(connection), held: held !== undefined, ...held },
})

type ToolCounts = { added: number; removed: number; changed: number }

export const disconnectedEvent = (connection: Connection, revocation: Revocation | undefined): EventDraft => ({
  name: 'connection.disconnected',
  payload: { ...aboutConnection(connection), ...(revocation && { revocation }) },
})

/** The last one an endpoint is sent. Whose it is stands in every message. */
export const deletedEvent = (): EventDraft => ({ name: 'tenant.deleted', payload: {} })

/** Not whose: the message is stored. The tenant knows the erasure by its id. */
export const erasedEvent = (erasureId: string): EventDraft => ({ name: 'end_user.erased', payload: { erasureId } })

/** Of the user only the id: a name or an email address has no business in a message that is stored and retried. */
const aboutLink = ({ id, sessionId, integration, endUser, relink }: Link) => ({
  linkId: id,
  purpose: purposeOf(relink),
  connectSessionId: sessionId,
  integrationId: integration,
  endUser: { id: endUser.id },
})

const aboutConnection = ({ id, integration, endUserId }: Connection) => ({
  connectionId: id,
  integrationId: integration,
  endUser: { id: endUserId },
})

export type TenantEvent = {
  id: string
  name: TenantEventName
  payload: Record<string, unknown>
  /** Of the link that it tells of: the receiver's work on it can be a part of the same trace. */
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
  'connection.disconnected',
  'end_user.erased',
  'tenant.deleted',
] as const

export type TenantEventName = (typeof tenantEventNames)[number]
