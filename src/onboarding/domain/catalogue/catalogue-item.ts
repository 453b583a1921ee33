import { categories, tiers } from '../../../contract/integrations/categories.ts'
import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import type { Profile, Scope } from '../integration.ts'
import type { AppIcon } from './app-icon.ts'

export { categories, tiers }

/** `mcp`: the vendor's MCP server. `api`: our tools at the vendor's API. */
export const integrationKinds = ['api', 'mcp'] as const

export type CatalogueItem = {
  id: string
  kind: (typeof integrationKinds)[number]
  displayName: string
  description: string
  scopes: readonly Scope[]
  apiHosts: readonly string[]
  inputs: Readonly<Record<string, Pick<Profile['inputs'][string], 'label' | 'help' | 'pattern'>>>
  icon: AppIcon
  about: ProviderAbout | undefined
  isConfigured: boolean
  /** An entry with a single source is a template: not linkable until an operator copies it to the integrations file. */
  isLinkable: boolean
  searchText: string
}

export type ItemFilter = {
  q?: string | undefined
  category?: string | undefined
  tier?: string | undefined
  cursor?: string | undefined
  limit: number
}

export function pageOfItems(
  items: readonly CatalogueItem[],
  { q = '', category, tier, cursor = '', limit }: ItemFilter,
  now: Date,
): { data: CatalogueItem[]; nextCursor: string | undefined } {
  const found = items.filter(
    (item) =>
      item.id > cursor &&
      (category === undefined || item.about?.category === category) &&
      (tier === undefined || (item.about && tierToday(item.about, now) === tier)) &&
      matchesWords(item, q),
  )
  const data = found.slice(0, limit)
  return { data, nextCursor: found.length > limit ? data.at(-1)?.id : undefined }
}

export const matchesWords = ({ searchText }: Pick<CatalogueItem, 'searchText'>, q: string): boolean =>
  q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchText.includes(word))

const dayMs = 24 * 60 * 60 * 1_000
const verifiedForDays = 365

export const ageInDays = (asOf: string, now: Date): number => Math.floor((now.getTime() - Date.parse(asOf)) / dayMs)

/** Vendor docs change, so `verified` expires after a year. Computed, so an old release reports it as well. */
export const tierToday = ({ tier, asOf }: Pick<ProviderAbout, 'tier' | 'asOf'>, now: Date): ProviderAbout['tier'] =>
  tier === 'verified' && ageInDays(asOf, now) > verifiedForDays ? 'corroborated' : tier
