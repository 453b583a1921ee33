import { connectFlow } from './connect.ts'
import { relayFetch } from './relay.ts'
import { resources } from './resources.ts'
import { type ClientSettings, openDeployment, openTransport } from './transport.ts'

export type Causeway = ReturnType<typeof createCauseway>

/** For servers: the API key must not reach a browser. */
export function createCauseway(settings: ClientSettings) {
  const deployment = openDeployment(settings)
  const send = openTransport(deployment, settings)
  return {
    connect: connectFlow(send, settings.retries),
    ...resources(send, relayFetch(deployment)),
    /** Calls any operation by its `operationId` in the OpenAPI document. */
    send,
  }
}

export type { Connect, ConnectRequest, ConnectStart, RelinkRequest, ReturnQuery } from './connect.ts'
export * from './errors.ts'
export { List, type ListOperation, type ListQuery } from './lists.ts'
export type { RelayFetch } from './relay.ts'
export { assertLinked } from './resources.ts'
export type { RetrySettings } from './retries.ts'
export type { Pending } from './still-pending.ts'
export type { CallOptions, ClientSettings, Send } from './transport.ts'
export type * from './types.ts'
export type { WaitOptions } from './waiting.ts'
export { type MessageHeaders, type VerifiedEvent, verifyWebhook } from './webhook-messages.ts'
