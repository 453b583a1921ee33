import type pg from 'pg'
import type { CampaignPorts } from '../domain/ports/campaigns.ts'
import { postgresCampaigns } from './adapters/campaigns.ts'

export const openCampaigns = ({ pool }: { pool: pg.Pool }): CampaignPorts => ({
  campaigns: postgresCampaigns(pool),
})
