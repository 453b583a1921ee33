import {
  type Campaign,
  type CampaignMember,
  type MemberStatus,
  memberStatuses,
} from '../../../src/onboarding/domain/campaign.ts'
import { startsAgainFrom } from '../../../src/onboarding/domain/connect-session.ts'
import { waitingStates } from '../../../src/onboarding/domain/link.ts'
import type { Campaigns, NewMember, RelinkNeedQuery } from '../../../src/onboarding/domain/ports/campaigns.ts'
import { isPinned, maxUnpinnedSeconds } from '../../../src/onboarding/domain/relink.ts'
import { isInSight } from '../../../src/onboarding/domain/tenant.ts'
import { note, withAfter } from './audit.ts'
import { linkOf, mayBeStarted } from './connect-sessions.ts'
import { firstEndUser, toConnection } from './connections.ts'
import { fits, newestFirst, pageOf } from './pages.ts'
import {
  byText,
  type CampaignRow,
  type ConnectionRow,
  change,
  inSeconds,
  isPast,
  type SessionRow,
  type Store,
} from './tables.ts'

export function memoryCampaigns(store: Store): Campaigns {
  const { campaigns, sessions } = store.tables
  const progress = (row: CampaignRow) => ({ campaign: toCampaign(row), counts: countsOf(store, row) })
  return {
    async create({ ttlSeconds, actor, ...campaign }, members, audit) {
      const made = { createdAt: store.now(), expiresAt: inSeconds(store, ttlSeconds), cancelledAt: undefined }
      const { kind, id, name } = actor
      const row = { ...campaign, ...made, actor: { kind, id, name }, members: members.length, sessions: [] }
      campaigns.set(row.id, { ...row, sessions: members.map((member) => invite(store, member, made.expiresAt)) })
      note(store, audit)
      return toCampaign(campaigns.get(row.id) as CampaignRow)
    },
    async find(id) {
      const row = campaigns.get(id)
      return row && { ...progress(row), cancellable: cancellable(store, row).length }
    },
    async list({ tenant, testMode, cursor, limit }) {
      const rows = [...campaigns.values()].filter((row) => fits(row, { tenant }) && isInSight({ testMode }, row.tenant))
      const page = newestFirst(rows, { cursor, limit })
      return { ...page, data: page.data.map(progress) }
    },
    async members(id, { cursor, limit }) {
      const members = membersOf(store, campaigns.get(id)).sort(byText(({ connectionId }) => connectionId))
      const behind = members.filter(({ connectionId }) => cursor === undefined || connectionId > cursor)
      return pageOf(behind, limit, ({ connectionId }) => connectionId)
    },
    needingRelink: async ({ limit, ...need }) => needingRelink(store, need).slice(0, limit).map(toConnection),
    countNeedingRelink: async (need) => needingRelink(store, need).length,
    async causesOfNeed(need) {
      const inNeed = needingRelink(store, need).flatMap(({ cause }) => (cause ? [{ cause }] : []))
      return countedBy(inNeed, ({ cause }) => cause)
    },
    async ownersInNeed({ limit, ...need }) {
      const owners = needingRelink(store, need).map(({ tenant, integration }) => ({ tenant, integration }))
      return countedBy(owners, ({ tenant, integration }) => `${tenant} ${integration}`).slice(0, limit)
    },
    async cancel(id, audit) {
      const row = campaigns.get(id)
      if (!row) return
      const withdrawn = cancellable(store, row)
      for (const session of withdrawn) change(sessions, session.id, { cancelledAt: store.now() })
      if (withdrawn.length === 0 && row.cancelledAt) return
      change(campaigns, id, { cancelledAt: row.cancelledAt ?? store.now() })
      note(store, withAfter(audit, { addressesCancelled: withdrawn.length }))
    },
    async waitingLinks(id) {
      const links = (campaigns.get(id)?.sessions ?? []).map(({ sessionId }) => linkOf(store, sessionId))
      return links
        .flatMap((link) => (link && waitingStates.includes(link.state) ? [link] : []))
        .sort(byText((link) => link.id))
    },
  } satisfies Partial<Campaigns> as Campaigns
}

const toCampaign = ({ sessions: _, ...campaign }: CampaignRow): Campaign => campaign

/** Unpinned URLs live shorter. */
function invite(store: Store, { connection, sessionId, tokenDigest }: NewMember, expiresAt: Date) {
  const unpinnedUntil = inSeconds(store, maxUnpinnedSeconds)
  const isBounded = !isPinned(connection, false) && unpinnedUntil < expiresAt
  store.tables.sessions.set(sessionId, {
    id: sessionId,
    tokenDigest,
    tenant: connection.tenant,
    integration: connection.integration,
    endUser: firstEndUser(store, connection),
    returnUrl: undefined,
    connectionId: connection.id,
    allowOtherAccount: false,
    ifConnected: 'add',
    choices: undefined,
    completionChallenge: undefined,
    inputs: {},
    expiresAt: isBounded ? unpinnedUntil : expiresAt,
    cancelledAt: undefined,
    cause: undefined,
    createdAt: store.now(),
  })
  return { connectionId: connection.id, sessionId }
}

const cancellable = (store: Store, campaign: CampaignRow): SessionRow[] =>
  campaign.sessions
    .map(({ sessionId }) => store.tables.sessions.get(sessionId) as SessionRow)
    .filter(
      (row) =>
        !row.cancelledAt && (isMidway(store, row) || (!isPast(store, row.expiresAt) && mayBeStarted(store, row))),
    )

const isMidway = (store: Store, { id }: SessionRow): boolean =>
  waitingStates.includes(linkOf(store, id)?.state ?? 'linked')

function countedBy<T extends object>(things: T[], nameOf: (thing: T) => string): Array<T & { count: number }> {
  const counts = new Map<string, T & { count: number }>()
  for (const thing of things) {
    const known = counts.get(nameOf(thing))
    counts.set(nameOf(thing), { ...thing, count: (known?.count ?? 0) + 1 })
  }
  return [...counts.values()].sort(byText(nameOf)).sort((one, other) => other.count - one.count)
}

type NeedFilter = Omit<RelinkNeedQuery, 'cause'> & Partial<Pick<RelinkNeedQuery, 'cause'>>

function needingRelink(store: Store, { testMode, pinned, ...need }: NeedFilter): ConnectionRow[] {
  const broken = [...store.tables.connections.values()].filter((row) => fits(row, { ...need, status: 'needs_relink' }))
  return broken
    .filter(({ id, tenant }) => !hasAddress(store, id) && isInSight({ testMode }, tenant))
    .filter((row) => !pinned || isPinned(row, false))
    .sort(byText(({ id }) => id))
}

function hasAddress(store: Store, connectionId: string): boolean {
  const { campaigns, sessions } = store.tables
  const invited = [...campaigns.values()].flatMap((row) => row.sessions).map(({ sessionId }) => sessions.get(sessionId))
  return invited.some((session) => {
    if (session?.connectionId !== connectionId || session.cancelledAt || isPast(store, session.expiresAt)) return false
    return linkOf(store, session.id)?.state !== 'linked'
  })
}

function membersOf(store: Store, campaign: CampaignRow | undefined): CampaignMember[] {
  if (!campaign) return []
  return campaign.sessions.map(({ connectionId, sessionId }) => {
    const connection = store.tables.connections.get(connectionId) as ConnectionRow
    const session = store.tables.sessions.get(sessionId) as SessionRow
    return {
      connectionId,
      connectionName: connection.name,
      tenant: connection.tenant,
      integration: connection.integration,
      endUserId: connection.endUserId,
      accountLabel: connection.account?.label,
      sessionId,
      linkId: linkOf(store, sessionId)?.id,
      status: memberStatus(store, campaign, connection, session),
    }
  })
}

/** A re-link through another session also counts. */
function memberStatus(
  store: Store,
  campaign: Campaign,
  { relinkedAt }: ConnectionRow,
  session: SessionRow,
): MemberStatus {
  const state = linkOf(store, session.id)?.state
  if (state === 'linked' || (relinkedAt && relinkedAt > campaign.createdAt)) return 'linked'
  if (state) return startsAgainFrom.includes(state) ? 'failed' : 'started'
  if (session.cancelledAt) return 'cancelled'
  return isPast(store, session.expiresAt) ? 'expired' : 'open'
}

function countsOf(store: Store, campaign: CampaignRow): Record<MemberStatus, number> {
  const members = membersOf(store, campaign)
  const count = (status: MemberStatus) => members.filter((member) => member.status === status).length
  return Object.fromEntries(memberStatuses.map((status) => [status, count(status)])) as Record<MemberStatus, number>
}
