import type { Kysely } from 'kysely'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { CampaignPorts } from '../domain/ports/campaigns.ts'
import { postgresCampaigns } from './adapters/campaigns.ts'

export const openCampaigns = ({ db }: { db: Kysely<LedgerSchema> }): CampaignPorts => ({
  campaigns: postgresCampaigns(db),
})
