import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { CampaignTable, LedgerSchema } from '../../adapters/postgres/schema.ts'
import { inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { type Campaign, type CampaignMember, type MemberStatus, memberStatuses } from '../../domain/campaign.ts'
import type { Campaigns, NewMember, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import { longestUnpinnedSeconds } from '../../domain/relink.ts'
import { firstEndUser, toConnection } from '../../provisioning/adapters/postgres/connections.ts'
import { cancelCampaign, countCancellable } from './cancel-campaign.ts'

export function postgresCampaigns(db: Database<LedgerSchema>): Campaigns {
  const countsOf = async (ids: readonly string[]): Promise<Map<string, Record<MemberStatus, number>>> => {
    const { rows } = await sql<{ campaign: string; status: MemberStatus; count: number }>`
      select members.campaign, ${status} as status, count(*) as count from ${membersWithSession}
      where members.campaign = any(${ids}::text[]) group by 1, 2`.execute(db)
    const counts = new Map(ids.map((id) => [id, none()]))
    for (const row of rows) (counts.get(row.campaign) ?? none())[row.status] = Number(row.count)
    return counts
  }
  const withCounts = async (rows: Selectable<CampaignTable>[]) => {
    const counts = await countsOf(rows.map(({ id }) => id))
    return rows.map((row) => ({ campaign: toCampaign(row), counts: counts.get(row.id) ?? none() }))
  }

  return {
    async create({ ttlSeconds, actor, ...campaign }, members, audit) {
      const { rows } = await sql<Selectable<CampaignTable>>`
        with made as (
          insert into campaigns (id, cause, tenant, integration, reason, actor_kind, actor_id, actor_name,
            members, expires_at)
          values (${campaign.id}, ${campaign.cause}, ${campaign.tenant ?? null}, ${campaign.integration ?? null},
            ${campaign.reason}, ${actor.kind}, ${actor.id ?? null}, ${actor.name ?? null},
            ${members.length}, ${inSeconds(ttlSeconds)})
          returning *
        ), ${sessionsOf(members)}, joined as (
          insert into campaign_members (campaign, connection_id, session_id)
          select made.id, sessions.connection_id, sessions.id from sessions, made
        ), ${noted(audit, 'made')}
        select * from made`.execute(db)
      return toCampaign(rows[0] as Selectable<CampaignTable>)
    },
    async find(id) {
      const row = await db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) return undefined
      const [counts, cancellable] = await Promise.all([countsOf([id]), countCancellable(db, id)])
      return { campaign: toCampaign(row), counts: counts.get(id) ?? none(), cancellable }
    },
    async list({ tenant, cursor, limit }) {
      let query = db
        .selectFrom('campaigns')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      const page = pageOf(await query.execute(), limit, ({ id }) => id)
      return { ...page, data: await withCounts(page.data) }
    },
    async members(id, { cursor, limit }) {
      const { rows } = await sql<MemberRow>`
        select members.connection_id, name, connections.tenant, connections.integration, end_user_id,
          connections.account_label,
          members.session_id, links.id as link_id, ${status} as status
        from ${membersWithSession}
        where members.campaign = ${id} ${cursor === undefined ? sql`` : sql`and members.connection_id > ${cursor}`}
        order by members.connection_id limit ${limit + 1}`.execute(db)
      return pageOf(rows.map(toMember), limit, ({ connectionId }) => connectionId)
    },
    async needingRelink({ limit, ...need }) {
      const rows = await db
        .selectFrom('connections')
        .selectAll()
        .where(needsRelink(need))
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toConnection)
    },
    async countNeedingRelink(need) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from connections where ${needsRelink(need)}`.execute(db)
      return Number(rows[0]?.count)
    },
    cancel: (id, audit) => cancelCampaign(db, id, audit),
  }
}

/** Must match the predicate of the index connections_in_need. */
const needsRelink = ({
  cause,
  tenant,
  integration,
}: RelinkNeedQuery) => sql<SqlBool>`status = 'needs_relink' and cause = ${cause}
  ${tenant === undefined ? sql`` : sql`and tenant = ${tenant}`}
  ${integration === undefined ? sql`` : sql`and integration = ${integration}`}
  and ${hasNoOpenSession}`

/** Excludes connections with a campaign's session that is open or in use. */
const hasNoOpenSession = sql<SqlBool>`not exists (
  select from campaign_members as members join connect_sessions as sessions on sessions.id = members.session_id
  where sessions.connection_id = connections.id and cancelled_at is null and expires_at > now()
    and not exists (select from links where links.session_id = sessions.id and links.state = 'linked'))`

/** One statement for any number of sessions. */
function sessionsOf(members: readonly NewMember[]) {
  const column = (read: (member: NewMember) => string) => sql`${members.map(read)}::text[]`
  const given = sql.join([
    column(({ sessionId }) => sessionId),
    column(({ tokenDigest }) => tokenDigest),
    column(({ connection }) => connection.tenant),
    column(({ connection }) => connection.integration),
    column(({ connection }) => connection.endUserId),
    column(({ connection }) => connection.id),
  ])
  return sql`sessions as (
    insert into connect_sessions (id, token_digest, tenant, integration, end_user, connection_id, expires_at)
    select given.id, digest, given.tenant, given.integration,
      coalesce(${firstEndUser(sql`given.connection_id`)}, jsonb_build_object('id', given.end_user)), given.connection_id,
      least(made.expires_at, case when account_id is null then ${inSeconds(longestUnpinnedSeconds)} end)
    from unnest(${given}) as given (id, digest, tenant, integration, end_user, connection_id)
      join connections on connections.id = given.connection_id, made
    returning id, connection_id
  )`
}

const membersWithSession = sql`campaign_members as members
  join campaigns on campaigns.id = members.campaign
  join connections on connections.id = members.connection_id
  join connect_sessions as sessions on sessions.id = members.session_id
  left join links on links.session_id = sessions.id`

/** A re-link through another session counts as done, too. */
const status = sql`case
  when links.state = 'linked' or connections.relinked_at > campaigns.created_at then 'linked'
  when links.state in ('denied', 'abandoned', 'failed', 'exchange_unknown') then 'failed'
  when links.id is not null then 'started'
  when sessions.cancelled_at is not null then 'cancelled'
  when sessions.expires_at <= now() then 'expired'
  else 'open' end`

type MemberRow = {
  connection_id: string
  name: string
  tenant: string
  integration: string
  end_user_id: string
  account_label: string | null
  session_id: string
  link_id: string | null
  status: MemberStatus
}

const toMember = (row: MemberRow): CampaignMember => ({
  connectionId: row.connection_id,
  connectionName: row.name,
  tenant: row.tenant,
  integration: row.integration,
  endUserId: row.end_user_id,
  accountLabel: row.account_label ?? undefined,
  sessionId: row.session_id,
  linkId: row.link_id ?? undefined,
  status: row.status,
})

const none = () => Object.fromEntries(memberStatuses.map((each) => [each, 0])) as Record<MemberStatus, number>

const toCampaign = (row: Selectable<CampaignTable>): Campaign => ({
  id: row.id,
  cause: row.cause,
  tenant: row.tenant ?? undefined,
  integration: row.integration ?? undefined,
  reason: row.reason,
  actor: { kind: row.actor_kind, id: row.actor_id ?? undefined, name: row.actor_name ?? undefined },
  members: row.members,
  expiresAt: row.expires_at,
  cancelledAt: row.cancelled_at ?? undefined,
  createdAt: row.created_at,
})
