// What a link to an MCP server needs before its user is sent away: what the server says about itself, and an OAuth client
// that its authorization server knows.
import type { Actor } from '../../domain/audit/audit.ts'
import { filledFor } from '../../domain/catalogue/integration-values.ts'
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
import type { McpServers, RegisteredClients } from '../../domain/ports/mcp-servers.ts'
import type { Clock } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'

export type DiscoverNeeds = {
  mcpServers: McpServers
  registeredClients: RegisteredClients
  tenants: Tenants
  now: Clock
}

export type DiscoverServer = {
  integration: Integration
  tenant: string
  /** What was typed for this account. */
  config: Config
  /** Scopes that a connection was asked for before. */
  before?: string | undefined
  actor: Actor
}

/** Returns the config with what was discovered; of any other kind of integration as it is. */
export const discoverServer =
  (needs: DiscoverNeeds, settings: Pick<Settings, 'publicUrl'>) =>
  async ({ integration, tenant, config, before = '', actor }: DiscoverServer): Promise<Config> => {
    const { mcpUrl } = filledFor(integration, config)
    if (mcpUrl === undefined) return config
    const server = await needs.mcpServers.discover(mcpUrl)
    const scope = scopesToAsk(server, integration, before)
    const at = { server, integration: integration.id, scope, actor }
    const given = (await needs.tenants.ownClient(tenant, integration.id)) ?? integration.client
    assertPinned(integration, server, given)
    const clientAuthentication = given
      ? clientAuthenticationAt(server.authorizationServer, given.secret !== undefined)
      : await registeredAuthentication(needs, settings, at)
    return { ...config, ...discoveredConfig(server, { scope, clientAuthentication }) }
  }

type Place = { server: McpServer; integration: string; scope: string; actor: Actor }

async function registeredAuthentication(
  needs: DiscoverNeeds,
  settings: Pick<Settings, 'publicUrl'>,
  place: Place,
): Promise<ClientAuthentication> {
  const { server, integration } = place
  const { authorizationServer } = server
  const callback = callbackName(integration, authorizationServer)
  const wanted = {
    at: authorizationServer,
    documentUrl: clientDocumentUrl(settings.publicUrl, callback),
    redirectUri: redirectUriOf(settings.publicUrl, callback),
    now: needs.now(),
  }
  const known = await needs.registeredClients.find({ integration, issuer: authorizationServer.issuer })
  if (known && isUsable(known, wanted) && (await isStillKnown(needs, known, place))) return known.clientAuthentication
  assertMayRegister(known, wanted.now)
  const client =
    documentClient(wanted) ??
    (await needs.mcpServers.register(authorizationServer, { redirectUri: wanted.redirectUri, scope: place.scope }))
  return (await save(needs, place, client, known)).clientAuthentication
}

/** Nothing is stored anywhere for a document; a registration may have been lost since the last user went there. */
async function isStillKnown(needs: DiscoverNeeds, known: RegisteredClient, { server, actor }: Place): Promise<boolean> {
  const isFresh = needs.now().getTime() - known.confirmedAt.getTime() < confirmEveryMs
  if (known.by === 'metadata_document' || isFresh) return true
  const { authorizationServer } = server
  if (await needs.mcpServers.knowsClient(authorizationServer, known.client, known.clientAuthentication)) {
    await needs.registeredClients.confirm(known, known.client.id)
    return true
  }
  await needs.registeredClients.markForgotten(known, known.client.id, forgottenEntry(known, actor))
  return false
}

function assertMayRegister(known: RegisteredClient | undefined, now: Date): void {
  if (!known?.forgottenAt || mayRegisterAgain(known, now)) return
  throw new DependencyError('client_rejected', { detail: 'forgotten as soon as it was registered' })
}

function save({ registeredClients }: DiscoverNeeds, place: Place, client: NewClient, known?: RegisteredClient) {
  const { integration, server, actor } = place
  const { issuer } = server.authorizationServer
  return registeredClients.save({ integration, issuer }, client, known?.client.id, {
    action: 'oauth_client.registered',
    actor,
    subject: { kind: 'oauth_client', id: integration },
    facts: { issuer, clientId: client.client.id, registeredBy: client.by },
  })
}

export const forgottenEntry = ({ integration, issuer, client }: Forgotten, actor: Actor) => ({
  action: 'oauth_client.forgotten' as const,
  actor,
  subject: { kind: 'oauth_client' as const, id: integration },
  facts: { issuer, clientId: client.id },
})

type Forgotten = Pick<RegisteredClient, 'integration' | 'issuer' | 'client'>
