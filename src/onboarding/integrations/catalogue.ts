import { type CatalogueEntry, catalogueOf } from '../../contract/integrations/catalogue.ts'
import { filledProfile } from '../../contract/integrations/filled-profile.ts'
import { lazy } from '../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../kit/installed/json-folder.ts'
import type { CheckedProvider } from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueItem } from '../domain/catalogue/catalogue-item.ts'
import type { ConfiguredIntegration, Integration, Profile } from '../domain/integration.ts'
import { isTestTenant } from '../domain/test-mode/test-mode.ts'
import { catalogueItems } from './catalogue-items.ts'
import { compileProfile } from './profile.ts'
import { testIntegration } from './test-integration.ts'

export const shippedCatalogue = lazy(() =>
  catalogueOf({
    providers: [...readJsonFolder('catalogue/providers').values()],
    tools: readJsonFolder('catalogue/tools'),
  }),
)

export type Catalogue = {
  find(id: string): Integration | undefined
  of(owner: { tenant: string; integration: string }): Integration | undefined
  configured(): Integration[]
  /** As shipped, without changes of the deployment. */
  shipped(id: string): Profile | undefined
  items(): readonly CatalogueItem[]
}

/** Includes shipped profiles without a client: a tenant may bring its own. */
export function catalogue(configured: readonly ConfiguredIntegration[], publicUrl: string): Catalogue {
  const shipped = shippedCatalogue()
  const own = new Map<string, ConfiguredIntegration & { about: Integration['about'] }>(
    configured.map((each) => [
      each.profile.id,
      { ...each, about: shipped.get(each.catalogued ?? each.profile.id)?.about() },
    ]),
  )
  const entries = new Map<string, () => Integration>()
  for (const { profile, client, earlierClients, about, catalogued } of own.values()) {
    const integration = {
      ...profile,
      client,
      earlierClients,
      about,
      shipped: lazy(() => shippedFor(profile, catalogued)?.profile() ?? profile),
    }
    entries.set(profile.id, () => integration)
  }
  for (const entry of shipped.values()) {
    // A listed profile (one source) only works after the operator adds it to the integrations file.
    if (entries.has(entry.id) || entry.tier === 'listed') continue
    entries.set(
      entry.id,
      lazy(() => ({ ...compileProfile(entry.profile()), client: undefined, about: entry.about() })),
    )
  }
  const find = (id: string) => entries.get(id)?.()
  const inTestMode = new Map<string, Integration>()
  const findTest = (id: string) => {
    const real = find(id)
    const made = inTestMode.get(id) ?? (real && testIntegration(real, publicUrl))
    if (made) inTestMode.set(id, made)
    return made
  }
  return {
    find,
    of: ({ tenant, integration }) => (isTestTenant(tenant) ? findTest(integration) : find(integration)),
    configured: () => [...own.keys()].map((id) => entries.get(id)?.()).filter((each) => each !== undefined),
    shipped(id) {
      const entry = shipped.get(id)
      return entry && compileProfile(entry.profile())
    },
    items: lazy(() => catalogueItems(shipped, own)),
  }
}

/** By its name or ID, or by its token endpoint if the entry is a whole profile with another ID. */
function shippedFor({ id, endpoints, mcpUrl }: Profile, catalogued: string = id) {
  const shipped = shippedCatalogue()
  const isSameApp = (entry: CatalogueEntry) => entry.input().endpoints?.token === endpoints?.token
  const isUnknown = endpoints === undefined || mcpUrl !== undefined
  return shipped.get(catalogued) ?? (isUnknown ? undefined : [...shipped.values()].find(isSameApp))
}

export function shippedProviders(): CheckedProvider[] {
  const providers = new Map<string, CheckedProvider>()
  for (const entry of shippedCatalogue().values()) {
    const { endpoints, mcpUrl } = filledProfile(entry.profile(), {})
    const about = entry.about()
    const mcp = { ...providers.get(about.id)?.mcp, ...(mcpUrl !== undefined && { [entry.id]: mcpUrl }) }
    const addresses = { authorization: endpoints?.authorization, token: endpoints?.token }
    providers.set(about.id, { about, addresses, mcp })
  }
  return [...providers.values()]
}
