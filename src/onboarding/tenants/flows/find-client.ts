import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Integration, OAuthClient } from '../../domain/integration.ts'
import type { Config } from '../../domain/link.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

export type ReadyIntegration = { integration: Integration; client: OAuthClient }

/** One that a link can be started with; an MCP server's client is made when that happens. */
export type LinkableIntegration = Omit<ReadyIntegration, 'client'> & { client: OAuthClient | undefined }

/** Whose: a link, a connection, or a session whose account is not known yet. */
export type Owner = { tenant: string; integration: string; config?: Config }

/**
 * The integration as it is for one account, with the client to use: the tenant's own before the deployment's.
 */
export async function findClient(needs: Needs, owner: Owner): Promise<ReadyIntegration> {
  const found = await findLinkable(needs, owner)
  if (found.client) return { ...found, client: found.client }
  const { id, issuer } = found.integration
  const client = issuer === undefined ? undefined : await needs.integrations.registeredClient(id, issuer)
  if (!client) throw withoutClient()
  return { integration: { ...found.integration, client }, client }
}

/**
 * The same with the client that a grant was issued to, which tenant or operator may have replaced since: no provider takes
 * a grant from another. Returns undefined if that client is not ours any more.
 */
export function issuedTo(ready: ReadyIntegration, clientId: string | undefined): ReadyIntegration | undefined {
  if (clientId === undefined || clientId === ready.client.id) return ready
  const { client } = ready.integration
  return client?.id === clientId ? { ...ready, client } : undefined
}

/** Before the account is known, and with it which authorization server a client is for. */
export async function findLinkable(
  needs: Needs,
  { tenant, integration: id, config = {} }: Owner,
): Promise<LinkableIntegration> {
  const found = needs.integrations.of({ tenant, integration: id })
  if (!found) throw missing('integration')
  const integration = filledFor(found, config)
  // A client of the tenant's own is registered at the real provider.
  const own = isTestTenant(tenant) ? undefined : await needs.tenants.ownClient(tenant, id)
  const client = isPinned(found, integration) ? (own ?? integration.client) : undefined
  if (!client && integration.mcpUrl === undefined) throw withoutClient()
  return { integration, client }
}

/**
 * What a connection can be linked again by. A re-link asks an MCP server anew for its authorization server, so it does not
 * matter that the one that the connection was linked at is no longer the one that its client is for.
 */
export const findRelinkable = (needs: Needs, { tenant, integration, config }: Owner): Promise<LinkableIntegration> =>
  needs.integrations.of({ tenant, integration })?.mcpUrl === undefined
    ? findClient(needs, { tenant, integration, ...(config && { config }) })
    : findLinkable(needs, { tenant, integration })

/** Where an MCP server names the authorization server, a client that was given to us is for the entry's issuer alone. */
const isPinned = ({ mcpUrl, issuer: pin }: Integration, { issuer }: Integration): boolean =>
  mcpUrl === undefined || (pin !== undefined && pin === issuer)

type Needs = { tenants: Tenants; integrations: Integrations }

const withoutClient = () =>
  new Failure('integration_unavailable', 'No OAuth client is configured for this integration.')

/** For a visitor, who can mend nothing of it: what is wrong with the deployment stands on record. */
export const notOffered = () =>
  new Failure('integration_unavailable', 'Something about it was changed here since you were asked to link it.')

/** The deployment may have changed: the integration or its client is gone. Any other error is none of this. */
export const undefinedIfMissing = (error: unknown): undefined => {
  if (error instanceof Failure && ['not_found', 'integration_unavailable'].includes(error.code)) return undefined
  throw error
}
