import type { CheckedProvider } from '../domain/catalogue/catalogue-check.ts'
import { shippedCatalogue } from './catalogue.ts'

/** Each provider file once, whatever the number of its products. */
export function shippedProviders(): CheckedProvider[] {
  const byId = new Map([...shippedCatalogue().values()].map((entry) => [entry.about().id, entry]))
  return [...byId.values()].map((entry) => {
    const { authorization, token } = entry.profile().endpoints ?? {}
    return { about: entry.about(), addresses: { authorization, token } }
  })
}
