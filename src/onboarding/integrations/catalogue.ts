import { catalogueOf } from '../../contract/integrations/catalogue.ts'
import { lazy } from '../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../kit/installed/json-folder.ts'
import type { CheckedProvider } from '../domain/catalogue/catalogue-check.ts'
import type { CatalogueItem } from '../domain/catalogue/catalogue-item.ts'
import type { Integration, OAuthClient, Profile } from '../domain/integration.ts'
import { isTestTenant } from '../domain/test-mode/test-mode.ts'
import { catalogueItems, type Icons } from './catalogue-items.ts'
import { compileProfile } from './profile.ts'
import { testIntegration } from './test-integration.ts'

/** Every product of the provider files in `catalogue`. */
export const shippedCatalogue = lazy(() =>
  catalogueOf({
    providers: [...readJsonFolder('catalogue/providers').values()],
    tools: readJsonFolder('catalogue/tools'),
  }),
)

const shippedIcons = () => (readJsonFolder('catalogue/icons').get('simple-icons') ?? {}) as Icons

/**
 * One entry of a deployment's integrations file: a shipped profile or one of its own, and the client made there. An MCP
 * server may have none: then one is registered when the first link starts.
 */
export type ConfiguredIntegration = { profile: Profile; client: OAuthClient | undefined }

export type Catalogue = {
  find(id: string): Integration | undefined
  /** As a tenant gets it: in test mode, every integration is at the built-in provider. */
  of(owner: { tenant: string; integration: string }): Integration | undefined
  /** Those of the deployment's integrations file. */
  configured(): Integration[]
  /** Everything there is, for who looks for an app. */
  items(): readonly CatalogueItem[]
}

/** Shipped profiles without a client can be found, too: a tenant may bring its own. */
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
    // One source alone is a template: nobody links by it until an operator has taken it into the integrations file.
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
    items: lazy(() => catalogueItems(shipped, own, shippedIcons())),
  }
}

/** Each provider file once, whatever the number of its products. */
export function shippedProviders(): CheckedProvider[] {
  const byId = new Map([...shippedCatalogue().values()].map((entry) => [entry.about().id, entry]))
  return [...byId.values()].map((entry) => {
    const { authorization, token } = entry.profile().endpoints ?? {}
    return { about: entry.about(), addresses: { authorization, token } }
  })
}
