// The catalogue as it is searched and shown: light, and made once. No profile is read for it.
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
  const { id, displayName, description = '', scopes = [], apiHosts = [], inputs = {} } = entry.input()
  const about = entry.about()
  const isLinkable = about.tier !== 'listed'
  const shown = { id, displayName, description, scopes, apiHosts, inputs }
  return withText({ ...shown, about, icon: iconOf(about, icons), isConfigured: false, isLinkable })
}

const shownOf = ({ id, displayName, description, scopes, apiHosts, inputs }: Profile) => ({
  id,
  displayName,
  description,
  scopes,
  apiHosts,
  inputs,
})

const iconOf = (about: Integration['about'], icons: Icons) => (about?.icon ? icons[about.icon] : undefined)

const withText = (item: Omit<CatalogueItem, 'searchText'>): CatalogueItem => ({
  ...item,
  searchText: [item.id, item.displayName, item.description, item.about?.displayName, item.about?.category]
    .join(' ')
    .toLowerCase(),
})
