import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body, Erasure } from '../types.ts'
import { type WaitOptions, waitFor } from '../waiting.ts'

/** The removal of everything that names one of your users. */
export const erasures = (send: Send) => ({
  /** Cannot be undone. `waitFor` waits until it is done; keep its id, which the event names. */
  create: (body: Body<'createErasure'>, options?: CallOptions) => send('createErasure', { body }, options),

  list: (query?: ListQuery<'listErasures'>, options?: CallOptions) =>
    new List(send, 'listErasures', { query }, options),

  get: (erasureId: string, options?: CallOptions) => send('getErasure', { params: { erasureId } }, options),

  waitFor: (erasureId: string, options: WaitOptions = {}): Promise<Erasure> => {
    const read = () => send('getErasure', { params: { erasureId } }, { signal: options.signal })
    return waitFor(read, ({ status }) => status !== 'pending', options)
  },
})
