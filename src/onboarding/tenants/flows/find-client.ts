import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Integration, OAuthClient } from '../../domain/integration.ts'
import type { Config } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

export type ReadyIntegration = { integration: Integration; client: OAuthClient }

/** The client of an MCP server is registered when the link starts. */
export type LinkableIntegration = Omit<ReadyIntegration, 'client'> & { client: OAuthClient | undefined }

export type Owner = { tenant: string; integration: string; config?: Config }

/** The integration of one account, with the client of its grant, else the tenant's own, else the deployment's. */
export async function findClient(
  ports: Pick<Ports, 'tenants' | 'integrations'>,
  owner: Owner,
): Promise<ReadyIntegration> {
  const { integration, client: configured } = await findLinkable(ports, owner)
  const clientId = owner.config?.client_id
  if (integration.issuer === undefined || clientId === undefined) {
    if (!configured) throw withoutClient()
    return { integration, client: configured }
  }
  const client = await ports.integrations.registeredClient(integration.issuer, clientId)
  if (!client) throw withoutClient()
  return { integration: { ...integration, client }, client }
}

/**
 * Selects the client that the grant was issued to; providers reject a grant from another client. Returns undefined if
 * we no longer have that client.
 */
export function issuedTo(ready: ReadyIntegration, clientId: string | undefined): ReadyIntegration | undefined {
  if (clientId === undefined || clientId === ready.client.id) return ready
  const { client, earlierClients = [] } = ready.integration
  const issuing = [client, ...earlierClients].find((each) => each?.id === clientId)
  return issuing && { ...ready, client: issuing }
}

/** Follows the settings first if another process began the link with a newer client than this process has. */
export async function findIssuing(
  ports: Pick<Ports, 'tenants' | 'integrations' | 'followSettings'>,
  owner: Owner,
  clientId: string | undefined,
): Promise<ReadyIntegration> {
  const issuing = issuedTo(await findClient(ports, owner), clientId)
  if (issuing) return issuing
  await ports.followSettings()
  const found = await findClient(ports, owner)
  return issuedTo(found, clientId) ?? found
}

/** Works before the account and its authorization server are known. */
export async function findLinkable(
  ports: Pick<Ports, 'tenants' | 'integrations'>,
  { tenant, integration: id, config = {} }: Owner,
): Promise<LinkableIntegration> {
  const found = ports.integrations.of({ tenant, integration: id })
  if (!found) throw missing('integration')
  const integration = filledFor(found, config)
  // In test mode the tenant's own client must not be used: it is registered at the real provider.
  const own = isTestTenant(tenant) ? undefined : await ports.tenants.ownClient(tenant, id)
  const client = isPinned(found, integration) ? (own ?? integration.client) : undefined
  if (!client && integration.mcpUrl === undefined) throw withoutClient()
  return { integration, client }
}

/** A re-link discovers the authorization server of an MCP server again, so the connection's old one does not matter. */
export const findRelinkable = (
  ports: Pick<Ports, 'tenants' | 'integrations'>,
  { tenant, integration, config }: Owner,
): Promise<LinkableIntegration> =>
  ports.integrations.of({ tenant, integration })?.mcpUrl === undefined
    ? findClient(ports, { tenant, integration, ...(config && { config }) })
    : findLinkable(ports, { tenant, integration })

/** With an MCP server, a configured client is only valid at the issuer of the integrations file. */
const isPinned = ({ mcpUrl, issuer: pin }: Integration, { issuer }: Integration): boolean =>
  mcpUrl === undefined || (pin !== undefined && pin === issuer)

const withoutClient = () =>
  new Failure('integration_unavailable', 'No OAuth client is configured for this integration.')

export const notOffered = () =>
  new Failure('integration_unavailable', 'This integration has changed since you were asked to link it.')

/** Returns undefined if the integration or its client was removed, and rethrows other errors. */
export const undefinedIfMissing = (error: unknown): undefined => {
  if (error instanceof Failure && ['not_found', 'integration_unavailable'].includes(error.code)) return undefined
  throw error
}
