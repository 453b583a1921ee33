import type { CampaignMember, CampaignProgress, FoundCampaign } from '../domain/campaign.ts'
import { missing } from '../domain/failure.ts'
import type { Page } from '../domain/ports.ts'
import type { NeedQuery } from '../domain/upkeep-ports.ts'
import type { Adapters } from './adapters.ts'

/** How many connections a campaign would be about. */
export const countInNeed =
  ({ campaigns }: Pick<Adapters, 'campaigns'>) =>
  (need: NeedQuery): Promise<number> =>
    campaigns.countInNeed(need)

/** `tenant`: whose campaigns alone the caller may see. */
type Seen = { id: string; tenant?: string | undefined }

export const readCampaign =
  ({ campaigns }: Pick<Adapters, 'campaigns'>) =>
  async ({ id, tenant }: Seen): Promise<FoundCampaign> => {
    const found = await campaigns.find(id)
    if (!found) throw missing('campaign')
    if (tenant !== undefined && found.campaign.tenant !== tenant) throw missing('campaign', found.campaign.tenant)
    return found
  }

type PageQuery = { cursor: string | undefined; limit: number }

export const listCampaigns =
  ({ campaigns }: Pick<Adapters, 'campaigns'>) =>
  (query: PageQuery & { tenant?: string | undefined }): Promise<Page<CampaignProgress>> =>
    campaigns.list({ ...query, tenant: query.tenant })

export const listCampaignMembers =
  (needs: Pick<Adapters, 'campaigns'>) =>
  async ({ cursor, limit, ...seen }: Seen & PageQuery): Promise<Page<CampaignMember>> => {
    await readCampaign(needs)(seen)
    return needs.campaigns.members(seen.id, { cursor, limit })
  }
