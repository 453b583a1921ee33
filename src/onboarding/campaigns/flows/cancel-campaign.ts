import type { Actor } from '../../domain/audit/audit.ts'
import type { CampaignProgress } from '../../domain/campaign.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Sight } from '../../domain/tenant.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { readCampaign } from './read-campaigns.ts'

type CancelCampaign = Sight & { id: string; actor: Actor; reason: string }

/** Idempotent. Cancelled connections can join another campaign immediately. */
export async function cancelCampaign(
  ports: Ports,
  { id, actor, reason, ...sight }: CancelCampaign,
): Promise<CampaignProgress> {
  const { campaign, counts } = await readCampaign(ports, { id, ...sight })
  await ports.campaigns.cancel(id, {
    action: 'campaign.cancelled',
    actor,
    subject: { kind: 'campaign', id },
    tenant: campaign.tenant,
    reason,
    before: { cancelled: campaign.cancelledAt !== undefined, open: counts.open },
    after: { cancelled: true },
  })
  // After the cancellation, so that no link can be started again.
  for (const link of await ports.campaigns.waitingLinks(id)) {
    await endLink(ports, link, { to: 'abandoned', actor, facts: { cause: 'session_cancelled' } })
  }
  return readCampaign(ports, { id, ...sight })
}
