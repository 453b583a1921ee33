import type { CampaignDetails, CampaignMember, CampaignProgress } from '../../domain/campaign.ts'
import { missing } from '../../domain/failure.ts'
import type { Campaigns, CauseCount, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { isInSight, type Sight } from '../../domain/tenant.ts'

/** How many connections a campaign would include. */
export const countNeedingRelink =
  ({ campaigns }: { campaigns: Campaigns }) =>
  (need: RelinkNeedQuery): Promise<number> =>
    campaigns.countNeedingRelink(need)

/** What campaigns there could be for: causes for which connections need a re-link now. */
export const countCausesOfNeed =
  ({ campaigns }: { campaigns: Campaigns }) =>
  (need: Omit<RelinkNeedQuery, 'cause'>): Promise<CauseCount[]> =>
    campaigns.causesOfNeed(need)

/** A campaign, and whose campaigns the caller may see. */
type CampaignRef = Sight & { id: string }

export const readCampaign =
  ({ campaigns }: { campaigns: Campaigns }) =>
  async ({ id, ...sight }: CampaignRef): Promise<CampaignDetails> => {
    const found = await campaigns.find(id)
    if (!found) throw missing('campaign')
    if (!isInSight(sight, found.campaign.tenant)) throw missing('campaign', found.campaign.tenant)
    return found
  }

type PageQuery = { cursor: string | undefined; limit: number }

export const listCampaigns =
  ({ campaigns }: { campaigns: Campaigns }) =>
  (query: PageQuery & Sight): Promise<Page<CampaignProgress>> =>
    campaigns.list({ ...query, tenant: query.tenant })

export const listCampaignMembers =
  (needs: { campaigns: Campaigns }) =>
  async ({ cursor, limit, ...ref }: CampaignRef & PageQuery): Promise<Page<CampaignMember>> => {
    await readCampaign(needs)(ref)
    return needs.campaigns.members(ref.id, { cursor, limit })
  }
