import { catalogueOf } from '../../../contract/integrations/catalogue.ts'
import { integrationsFileWithoutClients } from '../../../contract/integrations/integrations-file.ts'
import type { SettingsFeed } from '../../../contract/integrations/settings-feed.ts'
import type { EffectivePolicy, IntegrationPolicy } from '../../../contract/integrations/tool-policy.ts'
import { lazy } from '../../../kit/cache/lazy.ts'
import { readJsonFolder } from '../../../kit/installed/json-folder.ts'
import type { Integration, Integrations } from '../domain/integration.ts'
import { effectivePolicy, type LeveledRule } from '../domain/policy/effective-policy.ts'
import {
  type ClientPolicyOf,
  type Place,
  type PolicyOf,
  policyFor,
  rulesAt,
  type ToolRule,
} from '../domain/tool-policy.ts'

export const shippedCatalogue = lazy(() =>
  catalogueOf({
    providers: [...readJsonFolder('catalogue/providers').values()],
    tools: readJsonFolder('catalogue/tools'),
  }),
)

/** INTEGRATIONS_FILE, which onboarding reads as well. OAuth clients are not read: connections contain them. */
export const readIntegrations = () =>
  integrationsFileWithoutClients(shippedCatalogue()).transform((entries) =>
    entries.map(
      ({ profile, toolPolicy }): ConfiguredIntegration => ({ ...profile, ...(toolPolicy && { toolPolicy }) }),
    ),
  )

export type ConfiguredIntegration = Integration & { toolPolicy?: IntegrationPolicy }

export type ServedIntegrations = Integrations & {
  policyOf: PolicyOf
  clientPolicyOf: ClientPolicyOf
  effectivePolicy(at: Place): EffectivePolicy
  /** At once: a call sees all changes or none. Returns the integrations whose entry this release rejects. */
  replace(feed: SettingsFeed): string[]
}

/** The file, and over it the settings of onboarding. */
export function catalogue(file: readonly ConfiguredIntegration[], rules: readonly ToolRule[] = []): ServedIntegrations {
  let current = snapshot(file, rules)
  return {
    get: (id) => current.get(id),
    has: (id) => current.ids.has(id),
    all: () => [...current.ids].map(current.get).filter((each) => each !== undefined),
    current: () => current,
    policyOf: (at) => policyFor(current.rulesFor(at), at),
    clientPolicyOf: (at) => (current.clients.has(at.client) ? policyFor(current.rulesFor(at), at) : undefined),
    effectivePolicy: (at) => effectivePolicy(rulesAt(current.rulesFor(at), at)),
    replace({ integrations, policies }) {
      const byId = new Map(file.map((each) => [each.id, each]))
      const invalid: string[] = []
      for (const { id, entry } of integrations) {
        const [read] = readIntegrations().safeParse({ integrations: [{ ...entry, id }] }).data ?? []
        if (read) byId.set(id, read)
        else invalid.push(id)
      }
      current = snapshot([...byId.values()], rules, policies)
      return invalid
    },
  }
}

function snapshot(
  configured: readonly ConfiguredIntegration[],
  rules: readonly ToolRule[],
  policies: SettingsFeed['policies'] = [],
) {
  const own = new Map(configured.map((each) => [each.id, each]))
  const shipped = shippedCatalogue()
  const ofAll = rules.map((rule) => ({ ...rule, level: 'file' as const }))
  const ofIntegrations = configured.flatMap(({ id, toolPolicy }) =>
    toolPolicy ? [{ ...toolPolicy, integration: id, level: 'integration' as const }] : [],
  )
  // Thousands of connections may have one, and every call asks.
  const byWorkspace = new Map<string, LeveledRule[]>()
  for (const policy of policies) {
    const level = policy.client !== undefined ? 'login' : policy.connection !== undefined ? 'connection' : 'tenant'
    const known = byWorkspace.get(policy.workspace) ?? []
    known.push({ ...policy, level })
    byWorkspace.set(policy.workspace, known)
  }
  return {
    get: (id: string) => own.get(id) ?? shipped.get(id)?.profile(),
    clients: new Set([...rules, ...policies].flatMap(({ client }) => client ?? [])),
    ids: new Set([...shipped.keys(), ...own.keys()]),
    rulesFor: ({ workspace }: Place): LeveledRule[] => [
      ...ofAll,
      ...ofIntegrations,
      ...(byWorkspace.get(workspace) ?? []),
    ],
  }
}
