// A session may leave the choice of the app to its user.
import type { CatalogueItem } from '../../domain/catalogue/catalogue-item.ts'
import type { ChosenSession, ConnectSession } from '../../domain/connect-session.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

type Needs = { integrations: Integrations; tenants: Tenants }

/** Those of the choices that the tenant may use today, by name. */
export async function choosableItems(
  { integrations, tenants }: Needs,
  { tenant, choices = [] }: Pick<ConnectSession, 'tenant' | 'choices'>,
): Promise<CatalogueItem[]> {
  const own = new Set((await tenants.ownClients(tenant)).map(({ integration }) => integration))
  const named = new Set(choices)
  // In test mode nobody needs a client.
  const isTest = isTestTenant(tenant)
  return integrations
    .items()
    .filter(({ id, isLinkable, isConfigured }) => isLinkable && (isTest || isConfigured || own.has(id)))
    .filter(({ id }) => named.size === 0 || named.has(id))
}

/** Returns undefined if nothing was chosen yet, or it is none of the choices. Without choices there is nothing to choose. */
export function chosenSession(session: ConnectSession, app: string | undefined): ChosenSession | undefined {
  const { choices, integration } = session
  const chosen = choices ? app : integration
  if (chosen === undefined || (choices && choices.length > 0 && !choices.includes(chosen))) return undefined
  return { ...session, integration: chosen }
}
