import { integrationsFile } from '../../contract/integrations/integrations-file.ts'
import type { ConfiguredIntegration } from '../domain/integration.ts'
import type { ServedIntegrations } from '../domain/ports/integration-settings.ts'
import type { RegisteredClients } from '../domain/ports/mcp-servers.ts'
import type { Integrations } from '../domain/ports/shared.ts'
import type { Entry } from '../domain/settings-changes/settings-version.ts'
import { type Catalogue, catalogue, shippedCatalogue } from './catalogue.ts'
import { configuredIntegrations } from './integrations-file.ts'

/** Every call reads the newest catalogue. What it returns never changes. */
export function servedIntegrations(
  file: readonly ConfiguredIntegration[],
  publicUrl: string,
): { catalogue: Catalogue; served: ServedIntegrations } {
  const ofFile = catalogue(file, publicUrl)
  let current = ofFile
  return {
    catalogue: {
      find: (id) => current.find(id),
      of: (owner) => current.of(owner),
      configured: () => current.configured(),
      shipped: (id) => current.shipped(id),
      items: () => current.items(),
    },
    served: {
      read: readEntry,
      withoutSettings: (integration) => ofFile.find(integration),
      isInFile: (integration) => file.some(({ profile }) => profile.id === integration),
      replace(changes) {
        const byId = new Map(file.map((each) => [each.profile.id, each]))
        const invalid: string[] = []
        for (const { version, earlierClients } of changes) {
          const { subject, entry } = version
          const before = byId.get(subject)
          const read = entry && configuredBy(subject, entry)
          if (entry && !read) invalid.push(subject)
          const now = read ?? before
          if (now) byId.set(subject, { ...now, earlierClients: [...clientsBefore(before, now), ...earlierClients] })
        }
        current = catalogue([...byId.values()], publicUrl)
        return invalid
      },
    },
  }
}

export const withRegistered = (listed: Catalogue, { newest, find }: RegisteredClients): Integrations => ({
  ...listed,
  registeredClient: async (issuer, clientId) =>
    (await (clientId === undefined ? newest(issuer) : find({ issuer, clientId })))?.client,
})

const configuredBy = (integration: string, entry: Entry): ConfiguredIntegration | undefined => {
  const read = readEntry(integration, entry)
  return 'configured' in read ? read.configured : undefined
}

/** The client of the file, if another entry applies. */
const clientsBefore = (before: ConfiguredIntegration | undefined, now: ConfiguredIntegration) =>
  before?.client && now !== before ? [before.client] : []

/** By the rules of the file. `integration` is the ID, also if the entry names a profile of the catalogue. */
function readEntry(integration: string, entry: Entry): ReturnType<ServedIntegrations['read']> {
  if (entry.id !== undefined && entry.id !== integration) {
    return { problems: [{ pointer: '/settings/id', detail: 'must be the ID in the address, or absent' }] }
  }
  const read = integrationsFile(shippedCatalogue()).safeParse({ integrations: [{ ...entry, id: integration }] })
  const [configured] = read.success ? configuredIntegrations(read.data) : []
  if (configured) return { configured }
  const problems = read.error?.issues ?? []
  return {
    problems: problems.map(({ path, message }) => ({
      pointer: ['', 'settings', ...path.slice(2)].map(String).join('/'),
      detail: message,
    })),
  }
}
