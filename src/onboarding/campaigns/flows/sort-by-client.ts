import { mostMembers } from '../../domain/campaign.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Campaigns, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { findRelinkable, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Needs = { tenants: Tenants; integrations: Integrations }

type SortedConnections = { linkable: Connection[]; clientless: Connection[] }

/** Those that a reconnect link would work for, and those whose integration or OAuth client is gone. */
export async function sortByClient(needs: Needs, connections: readonly Connection[]): Promise<SortedConnections> {
  const known = new Map<string, Promise<boolean>>()
  const isLinkable = (connection: Connection) => {
    // Asked once for all that have the same answer: a campaign is about thousands.
    const key = JSON.stringify([connection.tenant, connection.integration, connection.config])
    const asked = known.get(key) ?? findRelinkable(needs, connection).then(() => true, isFalseIfMissing)
    known.set(key, asked)
    return asked
  }
  const answers = await Promise.all(connections.map(isLinkable))
  return {
    linkable: connections.filter((_, at) => answers[at]),
    clientless: connections.filter((_, at) => !answers[at]),
  }
}

const isFalseIfMissing = (error: unknown): boolean => undefinedIfMissing(error) ?? false

/** Which integrations a campaign would leave out, and how many connections of each. */
export const countClientless =
  (needs: Needs & { campaigns: Campaigns }) =>
  async (need: RelinkNeedQuery): Promise<Map<string, number>> => {
    const inNeed = await needs.campaigns.needingRelink({ ...need, limit: mostMembers })
    const { clientless } = await sortByClient(needs, inNeed)
    const counts = new Map<string, number>()
    for (const { integration } of clientless) counts.set(integration, (counts.get(integration) ?? 0) + 1)
    return counts
  }
