import {
  type CampaignDetails,
  type CampaignMember,
  type CampaignProgress,
  type MemberStatus,
  maxMembers,
} from '../../../domain/campaign.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import type { Cause } from '../../../domain/cause.ts'
import type { CauseCount } from '../../../domain/ports/campaigns.ts'
import { queryOf } from '../pages/queries.ts'
import { actorWords } from './audit-words.ts'
import { causeWords } from './cause-words.ts'
import { type Suggested, tenantField } from './lists/filters.ts'
import {
  type AppNamed,
  ago,
  doneWordsIn,
  formatTime,
  integrationNames,
  type NameOfIntegration,
  personHref,
  shown,
} from './words.ts'

export const campaignsLocals = (
  campaigns: readonly CampaignProgress[],
  integrations: readonly CatalogueItem[],
  suggested: Suggested,
  now: Date,
) => ({
  title: 'Campaigns',
  tenantField: optionalTenant(suggested),
  integrations: appsInUse(integrations, suggested),
  rows: campaigns.map((progress) => campaignRow(progress, integrationNames(integrations), now)),
})

const appsInUse = (integrations: readonly CatalogueItem[], suggested: Suggested) =>
  integrations
    .filter(({ id, isLinkable }) => isLinkable && suggested.integrations.includes(id))
    .map(({ id, displayName }) => ({ id, displayName }))
    .sort((one, other) => one.displayName.localeCompare(other.displayName, 'en'))

const optionalTenant = (suggested: Suggested) => ({ ...tenantField(undefined, suggested), label: 'Tenant (optional)' })

function campaignRow({ campaign, counts }: CampaignProgress, nameOf: NameOfIntegration, now: Date) {
  return {
    href: `/support/campaigns/${campaign.id}`,
    id: campaign.id,
    cause: causeWords(campaign.cause).title,
    about: aboutWords(campaign, nameOf),
    members: campaign.members,
    linked: counts.linked,
    share: campaign.members === 0 ? '0' : ((counts.linked / campaign.members) * 100).toFixed(1),
    by: campaign.actor.name === undefined ? actorWords[campaign.actor.kind] : shown(campaign.actor.name, 80),
    byId: campaign.actor.name === undefined ? campaign.actor.id : undefined,
    reason: shown(campaign.reason),
    at: formatTime(campaign.createdAt),
    since: ago(campaign.createdAt, now),
    ends: endWords(campaign, now),
  }
}

const isOpen = ({ campaign: { cancelledAt, expiresAt } }: CampaignProgress, now: Date): boolean =>
  !cancelledAt && expiresAt > now

function endWords({ cancelledAt, expiresAt }: CampaignProgress['campaign'], now: Date): string {
  if (cancelledAt) return `cancelled ${ago(cancelledAt, now)} ago`
  return expiresAt > now ? `expires in ${ago(now, expiresAt)}` : 'expired'
}

type Scope = { tenant?: string | undefined; integration?: string | undefined; days: string }
type CampaignQuery = Scope & { cause: Cause }

/** Only causes that connections have now. */
export const campaignCausesLocals = (
  scope: Scope,
  counts: readonly CauseCount[],
  integrations: readonly CatalogueItem[],
) => ({
  title: 'New campaign',
  about: aboutWords(scope, integrationNames(integrations)),
  causes: counts.map(({ cause, count }) => ({
    ...causeWords(cause),
    count: countWords(count),
    href: `/support/campaigns/new?${queryOf({ cause, ...scope })}`,
  })),
})

const aboutWords = ({ tenant, integration }: Omit<Scope, 'days'>, nameOf: NameOfIntegration): string =>
  [tenant && shown(tenant, 80), integration && nameOf(integration)].filter(Boolean).join(', ') || 'all tenants'

const countWords = (count: number): string => (count === 1 ? 'One connection' : `${count} connections`)

/** `known`: connections with a known account. */
/** `clientless`: connections per integration that can't be reconnected by a link. */
type ConnectionCounts = { all: number; known: number; clientless: ReadonlyMap<string, number> }

export const newCampaignLocals = (
  { cause, tenant = '', integration = '', days }: CampaignQuery,
  { all, known, clientless }: ConnectionCounts,
  integrations: readonly CatalogueItem[],
) => {
  const left = [...clientless.values()].reduce((sum, each) => sum + each, 0)
  const count = all - left
  const nameOf = integrationNames(integrations)
  return {
    title: 'New campaign',
    cause: causeWords(cause).title,
    warning: operatorWarning(cause),
    clientless: left === 0 ? undefined : clientlessWords(clientless, nameOf),
    about: aboutWords({ tenant, integration }, nameOf),
    connectionsHref: `/support/connections?${queryOf({ status: 'needs_relink', cause, tenant, integration })}`,
    causesHref: `/support/campaigns/new?${queryOf({ tenant, integration, days })}`,
    lasts: days === '1' ? 'one day' : `${days} days`,
    affected: countWords(count),
    isEmpty: count === 0,
    unknown: count === 0 ? undefined : unknownWords(all - known, known),
    cut: count > maxMembers ? { taken: maxMembers, left: count - maxMembers } : undefined,
    fields: { cause, tenant, integration, days },
  }
}

/** Users who reconnect before the operator has acted meet the same problem again. */
function operatorWarning(cause: Cause): string | undefined {
  const { isForOperator, advice } = causeWords(cause)
  return isForOperator ? advice : undefined
}

const clientlessWords = (clientless: ReadonlyMap<string, number>, nameOf: NameOfIntegration): string =>
  [...clientless].map(([id, count]) => `${nameOf(id)} (${count})`).join(', ')

/** Undefined if all accounts will be compared. */
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

type CampaignInput = {
  progress: CampaignDetails
  members: readonly CampaignMember[]
  done: unknown
  hasFile: boolean
  appOf: AppNamed
  now: Date
}

const doneWords: Record<string, string> = {
  started: 'The campaign has started. Download the file with its links, and send each to its user.',
  cancelled: 'Unused links no longer work, and anyone midway through was stopped.',
}

export const campaignLocals = ({ progress, members, done, hasFile, appOf, now }: CampaignInput) => ({
  title: `Campaign ${progress.campaign.id}`,
  isFull: progress.campaign.members >= maxMembers,
  isCancellable: progress.cancellable > 0,
  done: doneWordsIn(doneWords, done),
  file: hasFile && isOpen(progress, now) ? `/support/campaigns/${progress.campaign.id}/links.csv` : undefined,
  campaign: campaignRow(progress, (id) => appOf(id).name, now),
  figures: (Object.keys(memberWords) as MemberStatus[]).map((status) => ({
    label: memberWords[status].label,
    value: progress.counts[status] ?? 0,
  })),
  members: members.map((member) => ({
    href: `/support/connections/${member.connectionId}`,
    app: appOf(member.integration),
    machineName: member.connectionName,
    tenant: member.tenant,
    account: member.accountLabel && shown(member.accountLabel, 80),
    endUser: shown(member.endUserId, 80),
    personHref: personHref(member.tenant, member.endUserId),
    badge: memberWords[member.status],
    link: member.linkId,
  })),
})
