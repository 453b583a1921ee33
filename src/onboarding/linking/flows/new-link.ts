import { type ChosenSession, connectEnded } from '../../domain/connect-session.ts'
import { resourceName } from '../../domain/connection.ts'
import { type Link, newLinkDefaults } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Clock, LinkTraces, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'

type NewLinkNeeds = {
  tenants: Tenants
  connections: Connections
  tokens: Tokens
  traces: LinkTraces
  now: Clock
}

export async function newLink(
  needs: NewLinkNeeds,
  { connectionPut }: Pick<Settings, 'connectionPut'>,
  session: ChosenSession,
  browser: string,
): Promise<Link> {
  const tenant = await needs.tenants.find(session.tenant)
  if (tenant?.status !== 'active') throw connectEnded()
  const {
    id: sessionId,
    integration,
    endUser,
    returnUrl,
    completionChallenge,
    allowOtherAccount,
    ifConnected,
  } = session
  const id = needs.tokens.id('lnk')
  const names = session.connectionId
    ? await namesOf(needs, session.connectionId, connectionPut ? undefined : id)
    : newNames(needs, integration)
  const createdAt = needs.now()
  const about = { id, tenant: tenant.id, integration, connectionId: names.connectionId }
  // Every member by its name, in the order of `unpackLink`: links of one shape are fast to copy and to read.
  return {
    id,
    sessionId,
    tenant: tenant.id,
    workspace: tenant.workspace,
    integration,
    endUser,
    returnUrl,
    relink: session.connectionId !== undefined,
    importId: newLinkDefaults.importId,
    allowOtherAccount,
    ifConnected,
    completionChallenge,
    browser,
    state: newLinkDefaults.state,
    cause: newLinkDefaults.cause,
    resumeFrom: newLinkDefaults.resumeFrom,
    forcedConsent: newLinkDefaults.forcedConsent,
    missingScopes: newLinkDefaults.missingScopes,
    grantedScopes: newLinkDefaults.grantedScopes,
    config: {},
    account: newLinkDefaults.account,
    connectionId: names.connectionId,
    connectionName: names.connectionName,
    functionName: names.functionName,
    functionUrl: newLinkDefaults.functionUrl,
    attempts: newLinkDefaults.attempts,
    nextAttemptAt: newLinkDefaults.nextAttemptAt,
    fence: newLinkDefaults.fence,
    takeovers: newLinkDefaults.takeovers,
    traceparent: needs.traces.begin(about),
    createdAt,
    updatedAt: createdAt,
  }
}

function newNames({ tokens }: NewLinkNeeds, integration: string) {
  const connectionId = tokens.id('con')
  const name = resourceName(integration, tokens.nameDigest(connectionId))
  return { connectionId, connectionName: name, functionName: name }
}

/** A re-link keeps the names. If the platform cannot replace secrets, the connection needs a second name. */
async function namesOf({ connections, tokens }: NewLinkNeeds, id: string, second: string | undefined) {
  const connection = await connections.find(id)
  if (!connection || connection.status === 'disconnected') throw connectEnded()
  const { name, functionName, integration } = connection
  const connectionName = second ? resourceName(integration, tokens.nameDigest(second)) : name
  return { connectionId: id, connectionName, functionName }
}
