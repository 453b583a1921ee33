import type { Catalogue, CatalogueEntry } from '../../contract/integrations/catalogue.ts'
import type { CatalogueItem } from '../domain/catalogue/catalogue-item.ts'
import type { Integration, Profile } from '../domain/integration.ts'

type ConfiguredProfile = { profile: Profile; about: Integration['about'] }

export type Icons = Readonly<Record<string, string>>

export function catalogueItems(
  shipped: Catalogue,
  configured: ReadonlyMap<string, ConfiguredProfile>,
  icons: Icons,
): CatalogueItem[] {
  const others = [...shipped.values()].filter(({ id }) => !configured.has(id)).map((entry) => shippedItem(entry, icons))
  const own = [...configured.values()].map((each) => configuredItem(each, icons))
  return [...own, ...others].sort((one, other) => (one.id < other.id ? -1 : 1))
}

const configuredItem = ({ profile, about }: ConfiguredProfile, icons: Icons): CatalogueItem =>
  withText({ ...shownOf(profile), about, icon: iconOf(about, icons), isConfigured: true, isLinkable: true })

function shippedItem(entry: CatalogueEntry, icons: Icons): CatalogueItem {
  const { id, displayName, description = '', scopes = [], apiHosts = [], inputs = {}, mcpUrl } = entry.input()
  const about = entry.about()
  const isLinkable = about.tier !== 'listed'
  const shown = shownOf({ id, displayName, description, scopes, apiHosts, inputs, mcpUrl })
  return withText({ ...shown, about, icon: iconOf(about, icons), isConfigured: false, isLinkable })
}

type Shown = Pick<CatalogueItem, 'id' | 'displayName' | 'description' | 'scopes' | 'apiHosts' | 'inputs'> & {
  mcpUrl?: string | undefined
}

const shownOf = ({ id, displayName, description, scopes, apiHosts, inputs, mcpUrl }: Shown) => ({
  id,
  kind: kindOf(mcpUrl),
  displayName,
  description,
  scopes,
  apiHosts: hostsOf(mcpUrl, apiHosts),
  inputs,
})

const kindOf = (mcpUrl: string | undefined): CatalogueItem['kind'] => (mcpUrl === undefined ? 'api' : 'mcp')

/** An MCP server is the only host of its functions. */
const hostsOf = (mcpUrl: string | undefined, apiHosts: readonly string[]): readonly string[] =>
  mcpUrl === undefined ? apiHosts : [mcpUrl.replace(/^https?:\/\//, '').split('/')[0] ?? '']

const iconOf = (about: Integration['about'], icons: Icons) => (about?.icon ? icons[about.icon] : undefined)

const withText = (item: Omit<CatalogueItem, 'searchText'>): CatalogueItem => ({
  ...item,
  searchText: [item.id, item.displayName, item.description, item.about?.displayName, item.about?.category]
    .join(' ')
    .toLowerCase(),
})
