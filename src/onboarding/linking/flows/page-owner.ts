// Whose page a browser is on, also where the page itself cannot be shown: whoever reads what went wrong should see whom
// they were dealing with. Told to those alone who were shown it before.
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Tenant } from '../../domain/tenant.ts'

type Needs = { links: Links; tenants: Tenants }

/** Of a link, for the browser that has it. A connect URL that cannot be opened has none: its page is one for all. */
export const linkPageOwner =
  (needs: Needs) =>
  async ({ linkId, browsers }: { linkId: string; browsers: readonly string[] }): Promise<Tenant | undefined> => {
    const link = await needs.links.find(linkId)
    return link && browsers.includes(link.browser) ? activeTenant(needs, link.tenant) : undefined
  }

/** One that was suspended or deleted speaks to nobody any more. */
export async function activeTenant({ tenants }: Pick<Needs, 'tenants'>, id: string): Promise<Tenant | undefined> {
  const tenant = await tenants.find(id)
  return tenant?.status === 'active' ? tenant : undefined
}
