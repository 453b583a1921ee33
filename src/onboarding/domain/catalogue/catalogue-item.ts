import { categories, tiers } from '../../../contract/integrations/categories.ts'
import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import type { Profile, Scope } from '../integration.ts'
import type { AppIcon } from './app-icon.ts'
import { byPopularity, searchItems } from './catalogue-search.ts'

export type { LinkFormMember } from '../../../contract/integrations/link-form.ts'
export { categories, tiers }

/** `mcp`: the vendor's MCP server. `api`: our tools at the vendor's API. */
export const integrationKinds = ['api', 'mcp'] as const

export type CatalogueItem = {
  id: string
  kind: (typeof integrationKinds)[number]
  displayName: string
  description: string
  scopes: readonly Scope[]
  /** Only if a session names them. */
  optionalScopes: readonly Scope[]
  apiHosts: readonly string[]
  inputs: Readonly<Record<string, Pick<Profile['inputs'][string], 'label' | 'help' | 'pattern' | 'default'>>>
  icon: AppIcon
  about: ProviderAbout | undefined
  isConfigured: boolean
  /** An entry with a single source is a template: not linkable until an operator copies it to the integrations file. */
  isLinkable: boolean
  names: string
  searchText: string
}

export type ItemFilter = {
  q?: string | undefined
  category?: string | undefined
  tier?: string | undefined
  cursor?: string | undefined
  limit: number
  popularFirst?: boolean
}

/** By ID or popularity, or best match first if there is a search. */
export function pageOfItems(
  items: readonly CatalogueItem[],
  { q = '', category, tier, cursor, limit, popularFirst = false }: ItemFilter,
  now: Date,
): { data: CatalogueItem[]; nextCursor: string | undefined; count: number } {
  const isRanked = popularFirst || q !== ''
  const ranked = isRanked ? searchItems(byPopularity(items), q, (item) => item) : items
  const found = ranked.filter(
    (item) =>
      (category === undefined || item.about?.category === category) &&
      (tier === undefined || (item.about && tierToday(item.about, now) === tier)),
  )
  const start = cursor === undefined ? 0 : found.findIndex(({ id }) => (isRanked ? id === cursor : id > cursor))
  const rest = start < 0 ? [] : found.slice(isRanked && cursor !== undefined ? start + 1 : start)
  const data = rest.slice(0, limit)
  return { data, nextCursor: rest.length > limit ? data.at(-1)?.id : undefined, count: found.length }
}

const dayMs = 24 * 60 * 60 * 1_000
const verifiedForDays = 365

export const ageInDays = (asOf: string, now: Date): number => Math.floor((now.getTime() - Date.parse(asOf)) / dayMs)

/** Vendor docs change, so `verified` expires after a year. Computed, so an old release reports it as well. */
export const tierToday = ({ tier, asOf }: Pick<ProviderAbout, 'tier' | 'asOf'>, now: Date): ProviderAbout['tier'] =>
  tier === 'verified' && ageInDays(asOf, now) > verifiedForDays ? 'corroborated' : tier
