import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** The steps that `connect.begin` and `connect.finish` take, one by one. */
export const connectSessions = (send: Send) => ({
  create: (body: Body<'createConnectSession'>, options?: CallOptions) =>
    send('createConnectSession', { body }, options),

  get: (connectSessionId: string, options?: CallOptions) =>
    send('getConnectSession', { params: { connectSessionId } }, options),

  /** Its URL stops working. */
  cancel: (connectSessionId: string, body: Body<'cancelConnectSession'> = {}, options?: CallOptions) =>
    send('cancelConnectSession', { params: { connectSessionId }, body }, options),

  complete: (connectSessionId: string, body: Body<'completeConnectSession'>, options?: CallOptions) =>
    send('completeConnectSession', { params: { connectSessionId }, body }, options),
})
