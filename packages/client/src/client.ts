import { connectFlow } from './connect.ts'
import { audit } from './resources/audit.ts'
import { campaigns } from './resources/campaigns.ts'
import { connectSessions } from './resources/connect-sessions.ts'
import { connections } from './resources/connections.ts'
import { erasures } from './resources/erasures.ts'
import { events } from './resources/events.ts'
import { imports } from './resources/imports.ts'
import { integrations } from './resources/integrations.ts'
import { links } from './resources/links.ts'
import { manageSessions } from './resources/manage-sessions.ts'
import { tenants } from './resources/tenants.ts'
import { webhooks } from './resources/webhooks.ts'
import { type ClientSettings, openTransport } from './transport.ts'

export type Causeway = ReturnType<typeof createCauseway>

/** For servers: the API key must not reach a browser. */
export function createCauseway(settings: ClientSettings) {
  const send = openTransport(settings)
  return {
    connect: connectFlow(send, settings.retries),
    connectSessions: connectSessions(send),
    manageSessions: manageSessions(send),
    links: links(send),
    connections: connections(send),
    imports: imports(send),
    erasures: erasures(send),
    campaigns: campaigns(send),
    integrations: integrations(send),
    tenants: tenants(send),
    webhooks: webhooks(send),
    events: events(send),
    audit: audit(send),
    /** Any operation by its id in the OpenAPI document. */
    send,
  }
}

export type { Connect, ConnectRequest, ConnectStart, RelinkRequest, ReturnQuery } from './connect.ts'
export * from './errors.ts'
export { List, type ListOperation, type ListQuery } from './lists.ts'
export { assertLinked } from './resources/links.ts'
export type { RetrySettings } from './retries.ts'
export type { Pending } from './still-pending.ts'
export type { CallOptions, ClientSettings, Send } from './transport.ts'
export type * from './types.ts'
export type { WaitOptions } from './waiting.ts'
export { type MessageHeaders, type VerifiedEvent, verifyWebhook } from './webhook-messages.ts'
