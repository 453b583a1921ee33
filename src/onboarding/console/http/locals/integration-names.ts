import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { shown } from './words.ts'

export type NameOfIntegration = (id: string) => string

/** As everybody calls it; one that is no longer configured has nothing but its ID. */
export function integrationNames(integrations: readonly CatalogueItem[]): NameOfIntegration {
  const names = new Map(integrations.map(({ id, displayName }) => [id, displayName]))
  return (id) => names.get(id) ?? shown(id, 80)
}
