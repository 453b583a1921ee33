// What somebody who looks for an app is shown of it, and how they find it.
import { categories, tiers } from '../../../contract/integrations/categories.ts'
import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import type { Profile, Scope } from '../integration.ts'

export { categories, tiers }

/** `mcp`: the vendor's own MCP server. `api`: tools of ours at the vendor's API. */
export const integrationKinds = ['api', 'mcp'] as const

export type CatalogueItem = {
  id: string
  kind: (typeof integrationKinds)[number]
  displayName: string
  description: string
  scopes: readonly Scope[]
  apiHosts: readonly string[]
  /** What is asked for before the user can sign in. */
  inputs: Readonly<Record<string, Pick<Profile['inputs'][string], 'label' | 'help' | 'pattern'>>>
  /** The `d` of an SVG path in a square of 24 by 24. */
  icon: string | undefined
  /** Undefined for an integration of the deployment's own. */
  about: ProviderAbout | undefined
  /** The deployment has an OAuth client there. */
  isConfigured: boolean
  /** One source alone is a template: nobody links by it until an operator has taken it into the integrations file. */
  isLinkable: boolean
  /** Everything that a search may hit, in lower case. */
  searchText: string
}

export type ItemFilter = {
  q?: string | undefined
  category?: string | undefined
  tier?: string | undefined
  /** The id of the last item of the page before. */
  cursor?: string | undefined
  limit: number
}

/** `items` are sorted by their ids. */
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

/** Whether an app has all words of a search, each anywhere. */
export const matchesWords = ({ searchText }: Pick<CatalogueItem, 'searchText'>, q: string): boolean =>
  q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchText.includes(word))

const dayMs = 24 * 60 * 60 * 1_000
const verifiedForDays = 365

export const ageInDays = (asOf: string, now: Date): number => Math.floor((now.getTime() - Date.parse(asOf)) / dayMs)

/**
 * What an entry is worth today: pages of vendors change, so nobody vouches for one that was read more than a year ago.
 * Computed and never edited, so that a release that was not updated says it, too.
 */
export const tierToday = ({ tier, asOf }: Pick<ProviderAbout, 'tier' | 'asOf'>, now: Date): ProviderAbout['tier'] =>
  tier === 'verified' && ageInDays(asOf, now) > verifiedForDays ? 'corroborated' : tier
