// Two campaigns of the past: one that mended most of what an incident broke, and one that was cancelled.
import type { Cause } from '../../domain/cause.ts'
import { integrationOfIncident, sampleAdmin } from './cast.ts'
import type { SampleConnection } from './connections.ts'
import { daySeconds, later } from './draft.ts'
import { sessionRow } from './links.ts'
import { relink, type Story } from './story.ts'

type Past = {
  cause: Cause
  integration: string | undefined
  reason: string
  at: Date
  cancelledAt?: Date
  /** Of those who were asked. */
  mendedShare: number
}

export function addCampaigns(story: Story): void {
  const daysAgo = (days: number) => later(story.now, -days * daySeconds)
  addCampaign(story, {
    cause: 'client_rejected',
    integration: integrationOfIncident,
    reason: 'The client secret was replaced at the app',
    at: daysAgo(9),
    mendedShare: 0.75,
  })
  addCampaign(story, {
    cause: 'scope_insufficient',
    integration: undefined,
    reason: 'Started for the wrong cause',
    at: daysAgo(5),
    cancelledAt: later(daysAgo(5), 1_800),
    mendedShare: 0,
  })
}

function addCampaign(story: Story, { cause, integration, reason, at, cancelledAt, mendedShare }: Past): void {
  const { draft, makeId } = story
  const members = story.connections.filter((each) => isAffected(each, { cause, integration, at }))
  if (members.length === 0) return
  const id = makeId('cmp', at)
  const expiresAt = later(at, 7 * daySeconds)
  draft.rows.campaigns.push({
    id,
    cause,
    integration: integration ?? null,
    reason,
    actor_kind: sampleAdmin.kind,
    actor_id: sampleAdmin.id,
    actor_name: sampleAdmin.name,
    members: members.length,
    expires_at: expiresAt,
    cancelled_at: cancelledAt ?? null,
    created_at: at,
  })
  const about = { actor: sampleAdmin, subject: { kind: 'campaign' as const, id }, reason }
  const facts = { cause, integrationId: integration, members: members.length, remaining: 0 }
  draft.audit.push({ at, entry: { action: 'campaign.started', ...about, facts } })
  if (cancelledAt) draft.audit.push({ at: cancelledAt, entry: { action: 'campaign.cancelled', ...about } })
  for (const member of members)
    addMember(story, member, { campaign: id, at, expiresAt, cancelledAt, mendedShare, reason })
}

const isAffected = (
  { broken, relinked, disconnectedAt, integration }: SampleConnection,
  wanted: Pick<Past, 'cause' | 'integration' | 'at'>,
): boolean =>
  broken?.cause === wanted.cause &&
  broken.at < wanted.at &&
  !(relinked && relinked.at < wanted.at) &&
  disconnectedAt === undefined &&
  (wanted.integration === undefined || wanted.integration === integration)

type Membership = Pick<Past, 'at' | 'mendedShare' | 'reason'> & {
  campaign: string
  expiresAt: Date
  cancelledAt: Date | undefined
}

function addMember(story: Story, connection: SampleConnection, member: Membership): void {
  const { draft, makeId, chance } = story
  const { campaign, at, expiresAt, cancelledAt, mendedShare, reason } = member
  const { id, tenant, integration, user } = connection
  const sessionId = makeId('ses', at)
  const session = { id: sessionId, at, tenant, integration, user, connectionId: id, expiresAt }
  draft.rows.connect_sessions.push(sessionRow({ ...session, ...(cancelledAt && { cancelledAt }) }))
  draft.rows.campaign_members.push({ campaign, connection_id: id, session_id: sessionId })
  if (connection.relinked || !chance.happens(mendedShare)) return
  relink(story, connection, {
    at: later(at, chance.between(1_800, 4 * daySeconds)),
    actor: sampleAdmin,
    reason,
    sessionId,
  })
}
