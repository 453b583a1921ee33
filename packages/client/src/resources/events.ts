import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** What a tenant is told about, whether or not it has a webhook endpoint. */
export const events = (send: Send) => ({
  /** The oldest first. `list(…).pages(event.cursor)` goes on behind an event. */
  list: (tenantId: string, query?: ListQuery<'listEvents'>, options?: CallOptions) =>
    new List(send, 'listEvents', { params: { tenantId }, query }, options),

  /** In test mode: makes one up. */
  trigger: (tenantId: string, body: Body<'triggerEvent'>, options?: CallOptions) =>
    send('triggerEvent', { params: { tenantId }, body }, options),
})
