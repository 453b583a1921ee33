import { type ChosenSession, connectEnded } from '../../domain/connect-session.ts'
import { resourceName } from '../../domain/connection.ts'
import { type Link, newLinkDefaults } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'

export async function newLink(
  ports: Ports,
  { connectionPut }: Settings,
  session: ChosenSession,
  browser: string,
): Promise<Link> {
  const tenant = await ports.tenants.find(session.tenant)
  if (tenant?.status !== 'active') throw connectEnded()
  const { integration, endUser, returnUrl, completionChallenge, allowOtherAccount, ifConnected, alias, labels } =
    session
  const id = ports.tokens.id('lnk')
  const names = session.connectionId
    ? await namesOf(ports, session.connectionId, connectionPut ? undefined : id)
    : newNames(ports, integration)
  const createdAt = ports.now()
  const about = { id, tenant: tenant.id, integration, connectionId: names.connectionId }
  return {
    ...newLinkDefaults,
    ...about,
    ...names,
    sessionId: session.id,
    workspace: tenant.workspace,
    endUser,
    returnUrl,
    kind: session.connectionId ? 'relink' : 'first',
    allowOtherAccount,
    ifConnected,
    completionChallenge,
    browser,
    config: {},
    alias,
    labels,
    traceparent: ports.traces.begin(about),
    createdAt,
    updatedAt: createdAt,
  }
}

function newNames({ tokens }: Ports, integration: string) {
  const connectionId = tokens.id('con')
  const name = resourceName(integration, tokens.nameDigest(connectionId))
  return { connectionId, connectionName: name, functionName: name }
}

/** A re-link keeps the names. If the platform cannot replace secrets, the connection needs a second name. */
async function namesOf({ connections, tokens }: Ports, id: string, second: string | undefined) {
  const connection = await connections.find(id)
  if (!connection || connection.status === 'disconnected') throw connectEnded()
  const { name, functionName, integration } = connection
  const connectionName = second ? resourceName(integration, tokens.nameDigest(second)) : name
  return { connectionId: id, connectionName, functionName }
}
