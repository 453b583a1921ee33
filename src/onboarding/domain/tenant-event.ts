import { type Cause, explain } from './cause.ts'
import type { Connection } from './connection.ts'
import type { Link } from './link.ts'

type EventDraft = Omit<TenantEvent, 'id'>

/** Events are thin: what happened and to which thing; the rest is read by API, with a key. */
export const failureEvent = (link: Link): EventDraft => ({
  name: 'link.failed',
  payload: {
    link: link.id,
    connectSession: link.sessionId,
    integration: link.integration,
    endUser: link.endUser.id,
    ...(link.cause && { cause: link.cause, whoseMove: explain(link.cause).whoseMove }),
  },
})

export const relinkedEvent = (link: Link): EventDraft => ({
  name: 'connection.relinked',
  payload: successEvent(link).payload,
})

export const needsRelinkEvent = (connection: Connection, cause: Cause): EventDraft => ({
  name: 'connection.needs_relink',
  payload: { ...aboutConnection(connection), cause, whoseMove: explain(cause).whoseMove },
})

export const disconnectedEvent = (connection: Connection): EventDraft => ({
  name: 'connection.disconnected',
  payload: aboutConnection(connection),
})

const aboutConnection = ({ id, integration, endUserId }: Connection) => ({
  connection: id,
  integration,
  endUser: endUserId,
})

export const successEvent = (link: Link): EventDraft => ({
  name: 'link.succeeded',
  payload: {
    link: link.id,
    connectSession: link.sessionId,
    connection: link.connectionId,
    integration: link.integration,
    endUser: link.endUser.id,
  },
})

export type TenantEvent = { id: string; name: TenantEventName; payload: Record<string, unknown> }

export const tenantEventNames = [
  'link.succeeded',
  'link.failed',
  'connection.relinked',
  'connection.needs_relink',
  'connection.disconnected',
] as const

export type TenantEventName = (typeof tenantEventNames)[number]
