import { csv } from '../../../../kit/csv.ts'
import type { CampaignMember, CampaignProgress, MemberStatus } from '../../../domain/campaign.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { StartedCampaign } from '../../../flows/start-campaign.ts'
import { ago, causeChoices, causeWords, moment, shown } from './words.ts'

export const campaignsLocals = (campaigns: readonly CampaignProgress[], integrations: Integration[], now: Date) => ({
  title: 'Campaigns',
  causes: causeChoices,
  integrations: integrations.map(({ id, displayName }) => ({ id, displayName })),
  rows: campaigns.map((progress) => campaignRow(progress, now)),
})

function campaignRow({ campaign, counts }: CampaignProgress, now: Date) {
  return {
    href: `/support/campaigns/${campaign.id}`,
    id: campaign.id,
    cause: causeWords(campaign.cause).title,
    about: [campaign.tenant, campaign.integration].filter(Boolean).join(', ') || 'all tenants',
    members: campaign.members,
    linked: counts.linked,
    share: campaign.members === 0 ? '0' : ((counts.linked / campaign.members) * 100).toFixed(1),
    by: shown(campaign.actor.name ?? campaign.actor.id ?? campaign.actor.kind, 80),
    reason: shown(campaign.reason),
    at: moment(campaign.createdAt),
    since: ago(campaign.createdAt, now),
    ends: campaign.expiresAt > now ? `ends in ${ago(now, campaign.expiresAt)}` : 'ended',
  }
}

const memberWords: Record<MemberStatus, { status: string; label: string }> = {
  open: { status: 'none', label: 'Not used yet' },
  started: { status: 'pending', label: 'Under way' },
  linked: { status: 'linked', label: 'Works again' },
  failed: { status: 'failed', label: 'Failed' },
  expired: { status: 'none', label: 'Not used in time' },
  cancelled: { status: 'none', label: 'Cancelled' },
}

export const campaignLocals = (progress: CampaignProgress, members: readonly CampaignMember[], now: Date) => ({
  title: `Campaign ${progress.campaign.id}`,
  campaign: campaignRow(progress, now),
  figures: (Object.keys(memberWords) as MemberStatus[]).map((status) => ({
    label: memberWords[status].label,
    value: progress.counts[status] ?? 0,
  })),
  members: members.map((member) => ({
    href: `/support/connections/${member.connectionId}`,
    name: member.connectionName,
    tenant: member.tenant,
    account: member.accountLabel ? shown(member.accountLabel, 80) : '–',
    endUser: shown(member.endUserId, 80),
    badge: memberWords[member.status],
    link: member.linkId,
  })),
})

const columns = ['tenant', 'connection', 'connectionName', 'integration', 'endUser', 'account', 'url', 'expiresAt']

export function addressesCsv({ campaign, members }: StartedCampaign): string {
  const expiresAt = campaign.expiresAt.toISOString()
  const rows = members.map((member) => [
    member.tenant,
    member.connectionId,
    member.connectionName,
    member.integration,
    member.endUserId,
    member.accountLabel ?? '',
    member.url,
    expiresAt,
  ])
  return csv([columns, ...rows])
}
