import { catalogueOf } from '../../contract/integrations/catalogue.ts'
import { lazy } from '../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../kit/process/json-folder.ts'
import type { Integration, OAuthClient, Profile } from '../domain/integration.ts'
import { compileProfile } from './profile.ts'

/** Every product of the provider files in `catalogue`. */
export const shippedCatalogue = lazy(() =>
  catalogueOf({
    providers: [...readJsonFolder('catalogue/providers').values()],
    tools: readJsonFolder('catalogue/tools'),
  }),
)

/** One entry of a deployment's integrations file: a shipped profile or one of its own, and the client made there. */
export type ConfiguredIntegration = { profile: Profile; client: OAuthClient }

export type Catalogue = {
  find(id: string): Integration | undefined
  all(): Integration[]
}

/** Shipped profiles without a client are listed too: a tenant may bring its own. */
export function catalogue(configured: readonly ConfiguredIntegration[]): Catalogue {
  const shipped = shippedCatalogue()
  const entries = new Map<string, () => Integration>()
  for (const { profile, client } of configured) {
    const about = shipped.get(profile.id)?.about()
    const integration = { ...profile, client, about }
    entries.set(profile.id, () => integration)
  }
  for (const entry of shipped.values()) {
    // One source alone is a template: nobody links by it until an operator has taken it into the integrations file.
    if (entries.has(entry.id) || entry.about().tier === 'listed') continue
    entries.set(
      entry.id,
      lazy(() => ({ ...compileProfile(entry.profile()), client: undefined, about: entry.about() })),
    )
  }
  return { find: (id) => entries.get(id)?.(), all: () => [...entries.values()].map((integration) => integration()) }
}
