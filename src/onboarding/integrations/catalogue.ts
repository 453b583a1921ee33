import type { Integration, OAuthClient, Profile } from '../domain/integration.ts'
import { github } from './github.ts'
import { gmail, googleCalendar, googleDrive } from './google.ts'
import { microsoft } from './microsoft.ts'
import { slack } from './slack.ts'

export const shippedProfiles: readonly Profile[] = [gmail, googleDrive, googleCalendar, slack, github, microsoft]

/** One entry of a deployment's integrations file: a shipped profile or one of its own, and the client made there. */
export type ConfiguredIntegration = { profile: Profile; client: OAuthClient }

export type Catalogue = {
  find(id: string): Integration | undefined
  all(): Integration[]
}

/** Shipped profiles without a client are listed too: a tenant may bring its own. */
export function catalogue(configured: readonly ConfiguredIntegration[]): Catalogue {
  const entries = new Map<string, Integration>()
  for (const { profile, client } of configured) entries.set(profile.id, { ...profile, client })
  for (const profile of shippedProfiles) {
    if (!entries.has(profile.id)) entries.set(profile.id, { ...profile, client: undefined })
  }
  return { find: (id) => entries.get(id), all: () => [...entries.values()] }
}
