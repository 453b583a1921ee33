import type { Actor } from '../../domain/audit/audit.ts'
import type { CatalogueItem } from '../../domain/catalogue/catalogue-item.ts'
import { type ChosenSession, type ConnectSession, connectEnded, startRefusal } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import { requestedBy } from '../../domain/linking/scope-choice.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { choosableItems, chosenSession } from './choose-integration.ts'
import { removedFailure } from './start-link.ts'

export type ConnectOffer = {
  session: ChosenSession
  tenant: Tenant
  integration: Integration
  connection: Connection | undefined
}

export type ConnectChoice = {
  session: ConnectSession
  tenant: Tenant
  items: CatalogueItem[]
  connections: Connection[]
}

type ShowConnectPage = { token: string; actor: Actor; browsers: string[]; app?: string | undefined }

/** Read-only, because mail scanners open links. */
export async function showConnectPage(
  ports: Ports,
  { token, actor, browsers, app }: ShowConnectPage,
): Promise<ConnectOffer | ConnectChoice> {
  const session = await ports.sessions.byToken(ports.tokens.digest(token))
  const link = session?.linkId ? await ports.links.find(session.linkId) : undefined
  if (!session || startRefusal(session, link, browsers)) throw connectEnded()
  const tenant = await ports.tenants.find(session.tenant)
  if (tenant?.status !== 'active') throw connectEnded()
  const chosen = chosenSession(session, app)
  return chosen ? offerOf(ports, chosen, tenant, actor) : choiceOf(ports, session, tenant)
}

async function offerOf(ports: Ports, session: ChosenSession, tenant: Tenant, actor: Actor): Promise<ConnectOffer> {
  const integration = ports.integrations.of(session)
  if (!integration) throw await removedFailure(ports, session, actor)
  const connection = session.connectionId ? await ports.connections.find(session.connectionId) : undefined
  if (connection?.status === 'disconnected') throw connectEnded()
  return { session, tenant, integration: requestedBy(integration, session.scopes, connection), connection }
}

const maxConnections = 100

async function choiceOf(ports: Ports, session: ConnectSession, tenant: Tenant): Promise<ConnectChoice> {
  const any = { integration: undefined, status: undefined, cause: undefined, cursor: undefined }
  const own = { tenant: tenant.id, endUserId: session.endUser.id, limit: maxConnections }
  const { data } = await ports.connections.list({ ...any, ...own })
  return {
    session,
    tenant,
    items: await choosableItems(ports, session),
    connections: data.filter(({ status }) => status !== 'disconnected' && status !== 'not_linked'),
  }
}
