import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'

/** Who changed what. */
export const audit = (send: Send) => ({
  list: (query?: ListQuery<'listAuditEntries'>, options?: CallOptions) =>
    new List(send, 'listAuditEntries', { query }, options),
})
