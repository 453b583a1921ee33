import { type CatalogueItem, type ItemFilter, pageOfItems, tierToday } from '../../domain/catalogue/catalogue-item.ts'
import { Failure } from '../../domain/failure.ts'
import type { Clock, Integrations, Page } from '../../domain/ports/shared.ts'

export type ShownItem = { item: CatalogueItem; tier: string | undefined }

type Needs = { integrations: Integrations; now: Clock }

/** For anybody: what is in the catalogue is no secret, and whether there is a client is not told. */
export const browseCatalogue =
  ({ integrations, now }: Needs) =>
  (filter: ItemFilter): Page<ShownItem> & { of: number } => {
    const items = integrations.items()
    const { data, nextCursor } = pageOfItems(items, filter, now())
    return { data: data.map((item) => shownItem(item, now())), nextCursor, of: items.length }
  }

export const readCatalogueItem =
  ({ integrations, now }: Needs) =>
  (id: string): ShownItem => {
    const item = integrations.items().find((each) => each.id === id)
    if (!item) throw new Failure('not_found', 'There is no such app in the catalogue.')
    return shownItem(item, now())
  }

const shownItem = (item: CatalogueItem, now: Date): ShownItem => ({
  item,
  tier: item.about && tierToday(item.about, now),
})
