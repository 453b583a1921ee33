import type { Actor } from '../../domain/audit/audit.ts'
import { type ConnectSession, connectEnded, startRefusal } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, Integrations, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Tenant } from '../../domain/tenant.ts'

import { removedFailure } from './start-link.ts'

export type ConnectOffer = {
  session: ConnectSession
  tenant: Tenant
  integration: Integration
  /** The connection to re-link. Undefined for a first link. */
  connection: Connection | undefined
}

export type ShowConnectPage = { token: string; actor: Actor; browsers: string[] }

type Needs = {
  sessions: ConnectSessions
  tenants: Tenants
  integrations: Integrations
  links: Links
  connections: Connections
  tokens: Tokens
  audit: Audit
}

/** Reading the page changes nothing: mail scanners open links, too. */
export const showConnectPage =
  (needs: Needs) =>
  async ({ token, actor, browsers }: ShowConnectPage): Promise<ConnectOffer> => {
    const session = await needs.sessions.byToken(needs.tokens.digest(token))
    const link = session?.linkId ? await needs.links.find(session.linkId) : undefined
    if (!session || startRefusal(session, link, browsers)) throw connectEnded()
    const tenant = await needs.tenants.find(session.tenant)
    const integration = needs.integrations.of(session)
    if (tenant?.status !== 'active') throw connectEnded()
    if (!integration) throw await removedFailure(needs, session, actor)
    const connection = session.connectionId ? await needs.connections.find(session.connectionId) : undefined
    if (connection?.status === 'disconnected') throw connectEnded()
    return { session, tenant, integration, connection }
  }
