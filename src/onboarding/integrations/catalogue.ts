import { catalogueOf } from '../../contract/integrations/catalogue.ts'
import { lazy } from '../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../kit/installed/json-folder.ts'
import type { CheckedProvider } from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueItem } from '../domain/catalogue/catalogue-item.ts'
import type { Integration, OAuthClient, Profile } from '../domain/integration.ts'
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

/** An MCP server may have no client: one is registered when the first link starts. */
export type ConfiguredIntegration = { profile: Profile; client: OAuthClient | undefined }

export type Catalogue = {
  find(id: string): Integration | undefined
  of(owner: { tenant: string; integration: string }): Integration | undefined
  configured(): Integration[]
  items(): readonly CatalogueItem[]
}

/** Includes shipped profiles without a client: a tenant may bring its own. */
export function catalogue(configured: readonly ConfiguredIntegration[], publicUrl: string): Catalogue {
  const shipped = shippedCatalogue()
  const own = new Map<string, ConfiguredIntegration & { about: Integration['about'] }>(
    configured.map((each) => [each.profile.id, { ...each, about: shipped.get(each.profile.id)?.about() }]),
  )
  const entries = new Map<string, () => Integration>()
  for (const { profile, client, about } of own.values()) {
    const integration = { ...profile, client, about }
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
    items: lazy(() => catalogueItems(shipped, own)),
  }
}

export function shippedProviders(): CheckedProvider[] {
  const byId = new Map([...shippedCatalogue().values()].map((entry) => [entry.about().id, entry]))
  return [...byId.values()].map((entry) => {
    const { authorization, token } = entry.profile().endpoints ?? {}
    return { about: entry.about(), addresses: { authorization, token } }
  })
}
