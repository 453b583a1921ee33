import type { CampaignDetails, CampaignMember, CampaignProgress } from '../../domain/campaign.ts'
import { missing } from '../../domain/failure.ts'
import type { CauseCount, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { isInSight, type Sight } from '../../domain/tenant.ts'

export const countNeedingRelink = ({ campaigns }: Ports, need: RelinkNeedQuery): Promise<number> =>
  campaigns.countNeedingRelink(need)

export const countCausesOfNeed = ({ campaigns }: Ports, need: Omit<RelinkNeedQuery, 'cause'>): Promise<CauseCount[]> =>
  campaigns.causesOfNeed(need)

type CampaignRef = Sight & { id: string }

export async function readCampaign({ campaigns }: Ports, { id, ...sight }: CampaignRef): Promise<CampaignDetails> {
  const found = await campaigns.find(id)
  if (!found) throw missing('campaign')
  if (!isInSight(sight, found.campaign.tenant)) throw missing('campaign', found.campaign.tenant)
  return found
}

type PageQuery = { cursor: string | undefined; limit: number }

export const listCampaigns = ({ campaigns }: Ports, query: PageQuery & Sight): Promise<Page<CampaignProgress>> =>
  campaigns.list({ ...query, tenant: query.tenant })

export async function listCampaignMembers(
  ports: Ports,
  { cursor, limit, ...ref }: CampaignRef & PageQuery,
): Promise<Page<CampaignMember>> {
  await readCampaign(ports, ref)
  return ports.campaigns.members(ref.id, { cursor, limit })
}
