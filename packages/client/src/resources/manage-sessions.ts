import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** A page on which one of your users looks after their connections. */
export const manageSessions = (send: Send) => ({
  /** Redirect the browser of this user to its `url` at once, and never send or store it. */
  create: (body: Body<'createManageSession'>, options?: CallOptions) => send('createManageSession', { body }, options),

  get: (manageSessionId: string, options?: CallOptions) =>
    send('getManageSession', { params: { manageSessionId } }, options),

  /** Its page ends at once. */
  revoke: (manageSessionId: string, options?: CallOptions) =>
    send('revokeManageSession', { params: { manageSessionId } }, options),
})
