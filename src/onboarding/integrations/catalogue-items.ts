import type { Catalogue, CatalogueEntry } from '../../contract/integrations/catalogue.ts'
import { appIcon } from '../domain/catalogue/app-icon.ts'
import type { CatalogueItem } from '../domain/catalogue/catalogue-item.ts'
import { otherNames } from '../domain/catalogue/catalogue-search.ts'
import type { Integration, Profile } from '../domain/integration.ts'

type ConfiguredProfile = { profile: Profile; about: Integration['about'] }

export function catalogueItems(
  shipped: Catalogue,
  configured: ReadonlyMap<string, ConfiguredProfile>,
): CatalogueItem[] {
  const others = [...shipped.values()].filter(({ id }) => !configured.has(id)).map(shippedItem)
  const own = [...configured.values()].map(configuredItem)
  return [...own, ...others].sort((one, other) => (one.id < other.id ? -1 : 1))
}

const configuredItem = ({ profile, about }: ConfiguredProfile): CatalogueItem =>
  withText({ ...shownOf(profile), about, icon: appIcon({ ...profile, about }), isConfigured: true, isLinkable: true })

function shippedItem(entry: CatalogueEntry): CatalogueItem {
  const input = entry.input()
  const {
    id,
    displayName,
    description = '',
    scopes = [],
    optionalScopes = [],
    apiHosts = [],
    inputs = {},
    mcpUrl,
  } = input
  const about = entry.about()
  const isLinkable = about.tier !== 'listed'
  const shown = shownOf({ id, displayName, description, scopes, optionalScopes, apiHosts, inputs, mcpUrl })
  return withText({ ...shown, about, icon: appIcon({ ...input, about }), isConfigured: false, isLinkable })
}

type Shown = Pick<
  CatalogueItem,
  'id' | 'displayName' | 'description' | 'scopes' | 'optionalScopes' | 'apiHosts' | 'inputs'
> & {
  mcpUrl?: string | undefined
}

const shownOf = ({ id, displayName, description, scopes, optionalScopes, apiHosts, inputs, mcpUrl }: Shown) => ({
  id,
  kind: kindOf(mcpUrl),
  displayName,
  description,
  scopes,
  optionalScopes,
  apiHosts: hostsOf(mcpUrl, apiHosts),
  inputs,
})

const kindOf = (mcpUrl: string | undefined): CatalogueItem['kind'] => (mcpUrl === undefined ? 'api' : 'mcp')

/** An MCP server is the only host of its functions. */
const hostsOf = (mcpUrl: string | undefined, apiHosts: readonly string[]): readonly string[] =>
  mcpUrl === undefined ? apiHosts : [mcpUrl.replace(/^https?:\/\//, '').split('/')[0] ?? '']

function withText(item: Omit<CatalogueItem, 'names' | 'searchText'>): CatalogueItem {
  const { id, displayName, description, about } = item
  const names = [displayName, id.replaceAll('-', ''), ...(otherNames[id] ?? [])].join('\n')
  return { ...item, names, searchText: [id, names, description, about?.displayName, about?.category].join(' ') }
}
