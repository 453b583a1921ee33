import { mostMembers } from '../../domain/campaign.ts'
import type { Campaigns, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { findRelinkable, type Owner, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Needs = { tenants: Tenants; integrations: Integrations }

/** Those that a reconnect link would work for, and those whose integration or OAuth client is gone. */
export async function sortByClient<T extends Owner>(needs: Needs, owned: readonly T[]) {
  const known = new Map<string, Promise<boolean>>()
  const isLinkable = ({ tenant, integration }: T) => {
    // Asked once for all that have the same answer: a campaign is about thousands.
    const key = JSON.stringify([tenant, integration])
    const asked = known.get(key) ?? findRelinkable(needs, { tenant, integration }).then(() => true, isFalseIfMissing)
    known.set(key, asked)
    return asked
  }
  const answers = await Promise.all(owned.map(isLinkable))
  return { linkable: owned.filter((_, at) => answers[at]), clientless: owned.filter((_, at) => !answers[at]) }
}

const isFalseIfMissing = (error: unknown): boolean => undefinedIfMissing(error) ?? false

/** Which integrations a campaign would leave out, and how many connections of each. */
export const countClientless =
  (needs: Needs & { campaigns: Campaigns }) =>
  async (need: RelinkNeedQuery): Promise<Map<string, number>> => {
    const owners = await needs.campaigns.ownersInNeed({ ...need, limit: mostMembers })
    const { clientless } = await sortByClient(needs, owners)
    const counts = new Map<string, number>()
    for (const { integration, count } of clientless) counts.set(integration, (counts.get(integration) ?? 0) + count)
    return counts
  }
