import { explain } from './cause.ts'
import type { Link } from './link.ts'
import type { TenantEvent } from './ports.ts'

type Told = Omit<TenantEvent, 'id'>

/** Events are thin: what happened and to which thing; the rest is read by API, with a key. */
export const failureEvent = (link: Link): Told => ({
  name: 'link.failed',
  payload: {
    link: link.id,
    connectSession: link.sessionId,
    integration: link.integration,
    endUser: link.endUser.id,
    ...(link.cause && { cause: link.cause, whoseMove: explain(link.cause).whoseMove }),
  },
})

export const successEvent = (link: Link): Told => ({
  name: 'link.succeeded',
  payload: {
    link: link.id,
    connectSession: link.sessionId,
    connection: link.connectionId,
    integration: link.integration,
    endUser: link.endUser.id,
  },
})
