import { type CatalogueItem, type ItemFilter, pageOfItems, tierToday } from '../../domain/catalogue/catalogue-item.ts'
import type { Clock, Integrations, Page } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Caller } from '../../domain/tenant.ts'

export type AvailableIntegration = { item: CatalogueItem; tier: string | undefined; available: boolean }

type Needs = { integrations: Integrations; tenants: Tenants; now: Clock }

type Query = ItemFilter & { caller: Caller; available?: boolean | undefined }

/**
 * Available means that a link can be started: the deployment, or the tenant who asks, has an OAuth client there. In test
 * mode nobody needs one.
 */
export const listIntegrations =
  ({ integrations, tenants, now }: Needs) =>
  async ({ caller, available, ...filter }: Query): Promise<Page<AvailableIntegration>> => {
    const own = caller.tenant === undefined ? [] : await tenants.ownClients(caller.tenant)
    const isAvailable = ({ id, isLinkable, isConfigured }: CatalogueItem) =>
      isLinkable && (caller.testMode === true || isConfigured || own.some(({ integration }) => integration === id))
    const items = integrations.items().filter((item) => available === undefined || isAvailable(item) === available)
    const { data, nextCursor } = pageOfItems(items, filter, now())
    return {
      nextCursor,
      data: data.map((item) => ({
        item,
        tier: item.about && tierToday(item.about, now()),
        available: isAvailable(item),
      })),
    }
  }
