import { catalogueOf } from '../../../contract/integrations/catalogue.ts'
import { integrationsFileWithoutClients } from '../../../contract/integrations/integrations-file.ts'
import { lazy } from '../../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../../kit/installed/json-folder.ts'
import type { Integration, Integrations } from '../domain/integration.ts'

export const shippedCatalogue = lazy(() =>
  catalogueOf({
    providers: [...readJsonFolder('catalogue/providers').values()],
    tools: readJsonFolder('catalogue/tools'),
  }),
)

/** INTEGRATIONS_FILE, which onboarding reads as well. OAuth clients are not read: connections contain them. */
export const readIntegrations = () =>
  integrationsFileWithoutClients(shippedCatalogue()).transform((entries) => entries.map(({ profile }) => profile))

export function catalogue(configured: readonly Integration[]): Integrations {
  const own = new Map(configured.map((each) => [each.id, each]))
  const shipped = shippedCatalogue()
  const get = (id: string) => own.get(id) ?? shipped.get(id)?.profile()
  const ids = new Set([...shipped.keys(), ...own.keys()])
  return { get, ids: () => ids, all: () => [...ids].map(get).filter((each) => each !== undefined) }
}
