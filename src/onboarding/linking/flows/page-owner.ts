// Finds the tenant whose branding an error page shows. Only browsers that saw the tenant's page before learn it.
import type { Integration } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Tenant } from '../../domain/tenant.ts'

export type PageOwner = { tenant: Tenant; integration?: Integration | undefined; returnUrl?: string | undefined }

export async function linkPageOwner(
  ports: Pick<Ports, 'links' | 'tenants' | 'integrations'>,
  { linkId, browsers }: { linkId: string; browsers: readonly string[] },
): Promise<PageOwner | undefined> {
  const link = await ports.links.find(linkId)
  if (!link || !browsers.includes(link.browser)) return undefined
  return pageOwnerOf(ports, link)
}

export async function pageOwnerOf(
  ports: Pick<Ports, 'tenants' | 'integrations'>,
  of: { tenant: string; integration: string },
): Promise<PageOwner | undefined> {
  const tenant = await activeTenant(ports, of.tenant)
  return tenant && { tenant, integration: ports.integrations.of(of) }
}

export async function activeTenant({ tenants }: Pick<Ports, 'tenants'>, id: string): Promise<Tenant | undefined> {
  const tenant = await tenants.find(id)
  return tenant?.status === 'active' ? tenant : undefined
}
