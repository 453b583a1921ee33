import type { Actor } from '../../domain/audit/audit.ts'
import type { CatalogueItem } from '../../domain/catalogue/catalogue-item.ts'
import { type ChosenSession, type ConnectSession, connectEnded, startRefusal } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, Integrations, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { choosableItems, chosenSession } from './choose-integration.ts'
import { removedFailure } from './start-link.ts'

export type ConnectOffer = {
  session: ChosenSession
  tenant: Tenant
  integration: Integration
  /** The connection to re-link. Undefined for a first link. */
  connection: Connection | undefined
}

/** The user picks one first. */
export type ConnectChoice = {
  session: ConnectSession
  tenant: Tenant
  items: CatalogueItem[]
  /** What the user has connected already, of any integration. */
  connections: Connection[]
}

/** `app`: what the user picked, if the session leaves that to them. */
export type ShowConnectPage = { token: string; actor: Actor; browsers: string[]; app?: string | undefined }

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
  async ({ token, actor, browsers, app }: ShowConnectPage): Promise<ConnectOffer | ConnectChoice> => {
    const session = await needs.sessions.byToken(needs.tokens.digest(token))
    const link = session?.linkId ? await needs.links.find(session.linkId) : undefined
    if (!session || startRefusal(session, link, browsers)) throw connectEnded()
    const tenant = await needs.tenants.find(session.tenant)
    if (tenant?.status !== 'active') throw connectEnded()
    const chosen = chosenSession(session, app)
    return chosen ? offerOf(needs, chosen, tenant, actor) : choiceOf(needs, session, tenant)
  }

async function offerOf(needs: Needs, session: ChosenSession, tenant: Tenant, actor: Actor): Promise<ConnectOffer> {
  const integration = needs.integrations.of(session)
  if (!integration) throw await removedFailure(needs, session, actor)
  const connection = session.connectionId ? await needs.connections.find(session.connectionId) : undefined
  if (connection?.status === 'disconnected') throw connectEnded()
  return { session, tenant, integration, connection }
}

/** More than anybody has; a user with more of them sees the newest. */
const mostConnections = 100

async function choiceOf(needs: Needs, session: ConnectSession, tenant: Tenant): Promise<ConnectChoice> {
  const any = { integration: undefined, status: undefined, cause: undefined, cursor: undefined }
  const own = { tenant: tenant.id, endUserId: session.endUser.id, limit: mostConnections }
  const { data } = await needs.connections.list({ ...any, ...own })
  return {
    session,
    tenant,
    items: await choosableItems(needs, session),
    connections: data.filter(({ status }) => status !== 'disconnected'),
  }
}
