import {
  type CampaignDetails,
  type CampaignMember,
  type CampaignProgress,
  type MemberStatus,
  mostMembers,
} from '../../../domain/campaign.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import type { Cause } from '../../../domain/cause.ts'
import { causeChoices, causeWords } from './cause-words.ts'
import { ago, formatTime, shown } from './words.ts'

export const campaignsLocals = (
  campaigns: readonly CampaignProgress[],
  integrations: readonly CatalogueItem[],
  now: Date,
) => ({
  title: 'Campaigns',
  causes: causeChoices,
  integrations: integrations.filter(({ isLinkable }) => isLinkable).map(({ id, displayName }) => ({ id, displayName })),
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
    at: formatTime(campaign.createdAt),
    since: ago(campaign.createdAt, now),
    ends: endWords(campaign, now),
  }
}

function endWords({ cancelledAt, expiresAt }: CampaignProgress['campaign'], now: Date): string {
  if (cancelledAt) return `cancelled ${ago(cancelledAt, now)} ago`
  return expiresAt > now ? `expires in ${ago(now, expiresAt)}` : 'expired'
}

type CampaignQuery = { cause: Cause; tenant?: string | undefined; integration?: string | undefined; days: string }

/** `known`: those of which it is known whose account they are. */
type ConnectionCounts = { all: number; known: number }

/** A preview: nothing is created yet. */
export const newCampaignLocals = (
  { cause, tenant = '', integration = '', days }: CampaignQuery,
  { all: count, known }: ConnectionCounts,
) => ({
  title: 'New campaign',
  cause: causeWords(cause).title,
  about:
    [tenant, integration]
      .filter(Boolean)
      .map((word) => shown(word, 80))
      .join(', ') || 'all tenants',
  lasts: days === '1' ? 'one day' : `${days} days`,
  affected: count === 1 ? 'One connection' : `${count} connections`,
  isEmpty: count === 0,
  unknown: unknownWords(count - known, known),
  // One campaign takes at most this many.
  cut: count > mostMembers ? { taken: mostMembers, left: count - mostMembers } : undefined,
  fields: { cause, tenant, integration, days },
})

/** Returns undefined if every account will be compared. */
function unknownWords(unknown: number, known: number): { title: string; agree: string } | undefined {
  if (unknown === 0) return undefined
  const title =
    unknown === 1 ? 'The account of one connection isn’t known' : `The accounts of ${unknown} connections aren’t known`
  const those = unknown === 1 ? 'it' : 'them'
  return {
    title,
    agree: `${known === 0 ? 'Create links for' : 'Include'} ${those}. I will send each link to its user only, by a way that only they read`,
  }
}

const memberWords: Record<MemberStatus, { status: string; label: string }> = {
  open: { status: 'none', label: 'Not started' },
  started: { status: 'pending', label: 'In progress' },
  linked: { status: 'linked', label: 'Reconnected' },
  failed: { status: 'failed', label: 'Failed' },
  expired: { status: 'none', label: 'Expired' },
  cancelled: { status: 'none', label: 'Cancelled' },
}

type CampaignInput = { progress: CampaignDetails; members: readonly CampaignMember[]; done: unknown; now: Date }

export const campaignLocals = ({ progress, members, done, now }: CampaignInput) => ({
  title: `Campaign ${progress.campaign.id}`,
  isFull: progress.campaign.members >= mostMembers,
  isCancellable: progress.cancellable > 0,
  done: done === 'cancelled' ? 'Unused links no longer work, and anyone midway through was stopped.' : undefined,
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
