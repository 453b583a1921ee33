import { type Actor, worker } from '../../domain/audit/audit.ts'
import { filledFor } from '../../domain/catalogue/integration-values.ts'
import type { Cause } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { ClientAuthentication, Integration } from '../../domain/integration.ts'
import type { Config } from '../../domain/link.ts'
import {
  assertPinned,
  clientAuthenticationAt,
  discoveredConfig,
  type McpServer,
  scopesToAsk,
} from '../../domain/mcp/mcp-server.ts'
import {
  callbackName,
  clientDocumentUrl,
  confirmEveryMs,
  documentClient,
  isUsable,
  mayRegisterAgain,
  type NewClient,
  type RegisteredClient,
  redirectUriOf,
} from '../../domain/mcp/registered-client.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

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
  const scope = scopesToAsk(server, integration, before)
  const at = { server, integration: integration.id, scope, actor }
  const given = (await ports.tenants.ownClient(tenant, integration.id)) ?? integration.client
  assertPinned(integration, server, given)
  const clientAuthentication = given
    ? clientAuthenticationAt(server.authorizationServer, given.secret !== undefined)
    : await registeredAuthentication(ports, settings, at)
  return { ...config, ...discoveredConfig(server, { scope, clientAuthentication }) }
}

type Place = { server: McpServer; integration: string; scope: string; actor: Actor }

async function registeredAuthentication(
  ports: Ports,
  { publicUrl }: Pick<Settings, 'publicUrl'>,
  place: Place,
): Promise<ClientAuthentication> {
  const { server, integration } = place
  const { authorizationServer } = server
  const callback = callbackName(integration, authorizationServer)
  const wanted = {
    at: authorizationServer,
    documentUrl: clientDocumentUrl(publicUrl, callback),
    redirectUri: redirectUriOf(publicUrl, callback),
    now: ports.now(),
  }
  const known = await ports.registeredClients.find({ integration, issuer: authorizationServer.issuer })
  if (known && isUsable(known, wanted) && (await isStillKnown(ports, known, place))) return known.clientAuthentication
  assertMayRegister(known, wanted.now)
  const client =
    documentClient(wanted) ??
    (await ports.mcpServers.register(authorizationServer, { redirectUri: wanted.redirectUri, scope: place.scope }))
  return (await save(ports, place, client, known)).clientAuthentication
}

/** A client metadata document needs no registration. A registration may have been lost since the last link. */
async function isStillKnown(ports: Ports, known: RegisteredClient, { server, actor }: Place): Promise<boolean> {
  const isFresh = ports.now().getTime() - known.confirmedAt.getTime() < confirmEveryMs
  if (known.by === 'metadata_document' || isFresh) return true
  const { authorizationServer } = server
  if (await ports.mcpServers.knowsClient(authorizationServer, known.client, known.clientAuthentication)) {
    await ports.registeredClients.confirm(known, known.client.id)
    return true
  }
  await ports.registeredClients.markForgotten(known, known.client.id, forgottenEntry(known, actor))
  return false
}

function assertMayRegister(known: RegisteredClient | undefined, now: Date): void {
  if (!known?.forgottenAt || mayRegisterAgain(known, now)) return
  throw new DependencyError('client_rejected', { detail: 'forgotten as soon as it was registered' })
}

function save({ registeredClients }: Ports, place: Place, client: NewClient, known?: RegisteredClient) {
  const { integration, server, actor } = place
  const { issuer } = server.authorizationServer
  return registeredClients.save({ integration, issuer }, client, known?.client.id, {
    action: 'oauth_client.registered',
    actor,
    subject: { kind: 'oauth_client', id: integration },
    facts: { issuer, clientId: client.client.id, registeredBy: client.by },
  })
}

const forgottenEntry = ({ integration, issuer, client }: Forgotten, actor: Actor) => ({
  action: 'oauth_client.forgotten' as const,
  actor,
  subject: { kind: 'oauth_client' as const, id: integration },
  facts: { issuer, clientId: client.id },
})

type Forgotten = Pick<RegisteredClient, 'integration' | 'issuer' | 'client'>

/** A server that rejects a client it registered has forgotten it. The next link registers another one. */
export async function causeIfForgotten<C extends Cause>(
  { registeredClients }: Ports,
  { integration, client }: ReadyIntegration,
  cause: C,
  actor: Actor = worker,
): Promise<C | 'client_forgotten'> {
  const { id, issuer, mcpUrl } = integration
  if (cause !== 'client_rejected' || mcpUrl === undefined || issuer === undefined) return cause
  const at = { integration: id, issuer, client }
  return (await registeredClients.markForgotten(at, client.id, forgottenEntry(at, actor))) ? 'client_forgotten' : cause
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
