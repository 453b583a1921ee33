import { type CatalogueItem, type ItemFilter, pageOfItems, tierToday } from '../../domain/catalogue/catalogue-item.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { Caller } from '../../domain/tenant.ts'

export type ShownItem = { item: CatalogueItem; tier: string | undefined }

/** Public, so it does not say whether the deployment has a client. */
export function browseCatalogue({ integrations, now }: Ports, filter: ItemFilter): Page<ShownItem> & { of: number } {
  const items = integrations.items()
  const { data, nextCursor } = pageOfItems(items, filter, now())
  return { data: data.map((item) => shownItem(item, now())), nextCursor, of: items.length }
}

export function readCatalogueItem({ integrations, now }: Ports, id: string): ShownItem {
  const item = integrations.items().find((each) => each.id === id)
  if (!item) throw new Failure('not_found', 'No app with this ID is in the catalogue.')
  return shownItem(item, now())
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
