import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Integration, OAuthClient } from '../../domain/integration.ts'
import type { Config } from '../../domain/link.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

export type ReadyIntegration = { integration: Integration; client: OAuthClient }

/** Whose: a link, a connection, or a session whose account is not known yet. */
export type Owner = { tenant: string; integration: string; config?: Config }

/**
 * The integration as it is for one account, with the client to use: the tenant's own before the deployment's.
 */
export async function findClient(
  needs: { tenants: Tenants; integrations: Integrations },
  { tenant, integration: id, config = {} }: Owner,
): Promise<ReadyIntegration> {
  const found = needs.integrations.of({ tenant, integration: id })
  if (!found) throw missing('integration')
  const integration = filledFor(found, config)
  // A client of the tenant's own is registered at the real provider.
  const own = isTestTenant(tenant) ? undefined : await needs.tenants.ownClient(tenant, id)
  const client = own ?? integration.client
  if (!client) throw new Failure('integration_unavailable', 'No OAuth client is configured for this integration.')
  return { integration, client }
}

/** For a visitor, who can mend nothing of it: what is wrong with the deployment stands on record. */
export const notOffered = () =>
  new Failure('integration_unavailable', 'Something about it was changed here since you were asked to link it.')

/** The deployment may have changed: the integration or its client is gone. Any other error is none of this. */
export const undefinedIfMissing = (error: unknown): undefined => {
  if (error instanceof Failure && ['not_found', 'integration_unavailable'].includes(error.code)) return undefined
  throw error
}
