import type { Actor } from '../../domain/audit/audit.ts'
import type { CampaignProgress } from '../../domain/campaign.ts'
import type { Campaigns } from '../../domain/ports/campaigns.ts'
import type { Sight } from '../../domain/tenant.ts'

import { readCampaign } from './read-campaigns.ts'

export type CancelCampaign = Sight & { id: string; actor: Actor; reason: string }

/**
 * Cancels unused reconnect links that were lost or sent to the wrong people. Their connections can join another campaign
 * right away. Idempotent.
 */
export const cancelCampaign =
  (needs: { campaigns: Campaigns }) =>
  async ({ id, actor, reason, ...sight }: CancelCampaign): Promise<CampaignProgress> => {
    const { campaign, counts } = await readCampaign(needs)({ id, ...sight })
    await needs.campaigns.cancel(id, {
      action: 'campaign.cancelled',
      actor,
      subject: { kind: 'campaign', id },
      tenant: campaign.tenant,
      reason,
      before: { cancelled: campaign.cancelledAt !== undefined, open: counts.open },
      after: { cancelled: true },
    })
    return readCampaign(needs)({ id, ...sight })
  }
