import type { Actor } from '../../domain/audit/audit.ts'
import type { CampaignProgress } from '../../domain/campaign.ts'
import type { Campaigns } from '../../domain/ports/campaigns.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { Sight } from '../../domain/tenant.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { readCampaign } from './read-campaigns.ts'

export type CancelCampaign = Sight & { id: string; actor: Actor; reason: string }

/**
 * Cancels reconnect links that were lost or sent to the wrong people, and stops who is midway through. Their connections
 * can join another campaign right away. Idempotent.
 */
export const cancelCampaign =
  (needs: { campaigns: Campaigns; links: Links; tokens: Tokens }) =>
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
    // Afterwards, when none of them can be begun with anew.
    for (const link of await needs.campaigns.waitingLinks(id)) {
      await endLink(needs)(link, { to: 'abandoned', actor, facts: { cause: 'session_cancelled' } })
    }
    return readCampaign(needs)({ id, ...sight })
  }
