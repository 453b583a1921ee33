// Finds the tenant whose branding an error page shows. Only browsers that saw the tenant's page before learn it.

import type { Ports } from '../../domain/ports/ports.ts'
import type { Tenant } from '../../domain/tenant.ts'

export async function linkPageOwner(
  ports: Pick<Ports, 'links' | 'tenants'>,
  { linkId, browsers }: { linkId: string; browsers: readonly string[] },
): Promise<Tenant | undefined> {
  const link = await ports.links.find(linkId)
  return link && browsers.includes(link.browser) ? activeTenant(ports, link.tenant) : undefined
}

export async function activeTenant({ tenants }: Pick<Ports, 'tenants'>, id: string): Promise<Tenant | undefined> {
  const tenant = await tenants.find(id)
  return tenant?.status === 'active' ? tenant : undefined
}
