import { type Actor, worker } from '../../domain/audit/audit.ts'
import { filledFor } from '../../domain/catalogue/integration-values.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, isCorrected } from '../../domain/connection.ts'
import { DependencyError, noneIfAway } from '../../domain/dependency-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Config } from '../../domain/link.ts'
import {
  assertPinned,
  assertPkce,
  clientAuthenticationAt,
  discoveredConfig,
  type McpServer,
  scopesToAsk,
} from '../../domain/mcp/mcp-server.ts'
import {
  type ClientContext,
  clientDocumentUrl,
  documentClient,
  issuerCallback,
  issuerKey,
  isUsable,
  mayRegisterAgain,
  type RegisteredClient,
  redirectUriOf,
  scopeOfBoth,
} from '../../domain/mcp/registered-client.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type DiscoverServer = {
  integration: Integration
  tenant: string
  config: Config
  before?: string | undefined
  actor: Actor
}

export async function discoverServer(
  ports: Ports,
  settings: Pick<Settings, 'publicUrl'>,
  { integration, tenant, config, before = '', actor }: DiscoverServer,
): Promise<Config> {
  const { mcpUrl } = filledFor(integration, config)
  if (mcpUrl === undefined) return config
  const server = await ports.mcpServers.discover(mcpUrl)
  assertPkce(integration, server)
  const scope = scopesToAsk(server, integration, before)
  const at = { server, integration: integration.id, scope, actor }
  const given = (await ports.tenants.ownClient(tenant, integration.id)) ?? integration.client
  assertPinned(integration, server, given)
  const found = given
    ? { scope, clientAuthentication: clientAuthenticationAt(server.authorizationServer, given.secret !== undefined) }
    : { scope, ...(await registeredChoice(ports, settings, at)) }
  return { ...config, ...discoveredConfig(server, found) }
}

type Place = { server: McpServer; integration: string; scope: string; actor: Actor }

async function registeredChoice(ports: Ports, { publicUrl }: Pick<Settings, 'publicUrl'>, place: Place) {
  const { authorizationServer: at } = place.server
  const key = issuerKey(at.issuer)
  const redirectUri = redirectUriOf(publicUrl, issuerCallback(key))
  const documentUrl = clientDocumentUrl(publicUrl, key)
  const wanted = { at, documentUrl, redirectUri, scope: place.scope, now: ports.now() }
  const known = await ports.registeredClients.newest(at.issuer)
  const used = known && isUsable(known, wanted) ? known : await register(ports, place, wanted, known)
  return { clientId: used.client.id, clientAuthentication: used.clientAuthentication }
}

async function register(
  { mcpServers, registeredClients }: Ports,
  { integration, actor }: Place,
  wanted: ClientContext,
  known: RegisteredClient | undefined,
): Promise<RegisteredClient> {
  const { at, redirectUri, now } = wanted
  if (known?.forgottenAt && !mayRegisterAgain(known, now))
    throw new DependencyError('client_rejected', { detail: 'forgotten as soon as it was registered' })
  const scope = known?.scope ? scopeOfBoth(known.scope, wanted.scope) : wanted.scope
  const client = documentClient(wanted) ?? (await mcpServers.register(at, { redirectUri, scope }))
  return registeredClients.save(at.issuer, client, known?.client.id, {
    action: 'oauth_client.registered',
    actor,
    subject: { kind: 'oauth_client', id: integration },
    facts: { issuer: at.issuer, clientId: client.client.id, registeredBy: client.by },
  })
}

export async function noteWorking(
  { registeredClients }: Ports,
  { integration: { issuer, mcpUrl }, client }: ReadyIntegration,
): Promise<void> {
  if (mcpUrl === undefined || issuer === undefined) return
  await registeredClients.markWorking({ issuer, clientId: client.id }).catch(() => undefined)
}

/** A server that rejects a client it registered has forgotten it. The next link registers another one. */
export async function causeIfForgotten<C extends Cause>(
  { registeredClients }: Ports,
  { integration: { id, issuer, mcpUrl }, client }: ReadyIntegration,
  cause: C,
  actor: Actor = worker,
): Promise<C | 'client_forgotten'> {
  if (cause !== 'client_rejected' || mcpUrl === undefined || issuer === undefined) return cause
  const isForgotten = await registeredClients.markForgotten(
    { issuer, clientId: client.id },
    {
      action: 'oauth_client.forgotten',
      actor,
      subject: { kind: 'oauth_client', id },
      facts: { issuer, clientId: client.id },
    },
  )
  return isForgotten ? 'client_forgotten' : cause
}

/** A call of the function may have been rejected since the last look at the problems of all connections. */
export async function markIfRejected(ports: Ports, connection: Connection, actor: Actor): Promise<void> {
  const problems = await ports.grantProblems.of(connection).catch(noneIfAway)
  if (!problems.some((each) => each.cause === 'client_rejected' && !isCorrected(connection, each))) return
  const ready = await findClient(ports, connection).catch(undefinedIfMissing)
  if (ready) await causeIfForgotten(ports, ready, 'client_rejected', actor)
}

export async function errorIfForgotten(
  ports: Ports,
  ready: ReadyIntegration,
  error: DependencyError,
  actor?: Actor,
): Promise<DependencyError> {
  const cause = await causeIfForgotten(ports, ready, error.cause, actor)
  return cause === error.cause ? error : new DependencyError(cause, { detail: error.detail })
}
