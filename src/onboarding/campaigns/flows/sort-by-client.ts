import { maxMembers } from '../../domain/campaign.ts'
import type { RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { findRelinkable, type Owner, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

export async function sortByClient<T extends Owner>(ports: Ports, owned: readonly T[]) {
  const known = new Map<string, Promise<boolean>>()
  const isLinkable = ({ tenant, integration }: T) => {
    // Cached: a campaign has thousands of connections, but few integrations.
    const key = JSON.stringify([tenant, integration])
    const asked = known.get(key) ?? findRelinkable(ports, { tenant, integration }).then(() => true, isFalseIfMissing)
    known.set(key, asked)
    return asked
  }
  const answers = await Promise.all(owned.map(isLinkable))
  return { linkable: owned.filter((_, at) => answers[at]), clientless: owned.filter((_, at) => !answers[at]) }
}

const isFalseIfMissing = (error: unknown): boolean => undefinedIfMissing(error) ?? false

export async function countClientless(ports: Ports, need: RelinkNeedQuery): Promise<Map<string, number>> {
  const owners = await ports.campaigns.ownersInNeed({ ...need, limit: maxMembers })
  const { clientless } = await sortByClient(ports, owners)
  const counts = new Map<string, number>()
  for (const { integration, count } of clientless) counts.set(integration, (counts.get(integration) ?? 0) + count)
  return counts
}
