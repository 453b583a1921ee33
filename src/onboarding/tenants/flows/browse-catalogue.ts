import { type CatalogueItem, type ItemFilter, pageOfItems, tierToday } from '../../domain/catalogue/catalogue-item.ts'
import { Failure } from '../../domain/failure.ts'
import type { Profile } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { Caller } from '../../domain/tenant.ts'

export type ShownItem = { item: CatalogueItem; tier: string | undefined }

export function browseCatalogue({ integrations, now }: Ports, filter: ItemFilter): Page<ShownItem> & { count: number } {
  const { data, nextCursor, count } = pageOfItems(integrations.items(), { ...filter, popularFirst: true }, now())
  return { data: data.map((item) => shownItem(item, now())), nextCursor, count }
}

/** `profile`: as shipped. The page is public, and the deployment's profile may name private addresses. */
export type DescribedItem = ShownItem & { profile: Profile | undefined }

export function readCatalogueItem({ integrations, now }: Ports, id: string): DescribedItem {
  const item = integrations.items().find((each) => each.id === id)
  if (!item) throw new Failure('not_found', 'No app with this ID is in the catalogue.')
  return { ...shownItem(item, now()), profile: integrations.shipped(id) }
}

const shownItem = (item: CatalogueItem, now: Date): ShownItem => ({
  item,
  tier: item.about && tierToday(item.about, now),
})

export type AvailableIntegration = { item: CatalogueItem; tier: string | undefined; available: boolean }

/** Available: the deployment or the calling tenant has an OAuth client. Test mode needs no client. */
export async function listIntegrations(
  { integrations, tenants, now }: Ports,
  { caller, available, ...filter }: ItemFilter & { caller: Caller; available?: boolean | undefined },
): Promise<Page<AvailableIntegration>> {
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
