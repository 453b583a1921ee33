import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { newestPage, pageOf } from '../../adapters/postgres/page-of.ts'
import { Count, hasPinnedAccount } from '../../adapters/postgres/schema.ts'
import { inMode, inSeconds, matching, noted } from '../../adapters/postgres/statement-parts.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { type Campaign, type MemberStatus, memberStatuses } from '../../domain/campaign.ts'
import { causeCodes } from '../../domain/cause.ts'
import { startsAgainFrom } from '../../domain/connect-session.ts'
import { type Link, LinkRow, waitingStates } from '../../domain/link.ts'
import type { Campaigns, NewMember, RelinkNeedQuery } from '../../domain/ports/campaigns.ts'
import { maxUnpinnedSeconds } from '../../domain/relink.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { firstEndUser } from '../../provisioning/adapters/postgres/connections.ts'
import { ConnectionRow, connectionColumns, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'

export function postgresCampaigns(pool: pg.Pool): Campaigns {
  const countsOf = async (ids: readonly string[]): Promise<Map<string, Record<MemberStatus, number>>> => {
    const counted = await rows(
      pool,
      StatusCount,
      sql`
        select members.campaign, ${status} as status, count(*) as count from ${membersWithSession}
        where members.campaign = any(${ids}::text[]) group by 1, 2`,
    )
    const counts = new Map(ids.map((id) => [id, none()]))
    for (const each of counted) (counts.get(each.campaign) ?? none())[each.status] = each.count
    return counts
  }
  const withCounts = async (campaigns: Campaign[]) => {
    const counts = await countsOf(campaigns.map(({ id }) => id))
    return campaigns.map((campaign) => ({ campaign, counts: counts.get(campaign.id) ?? none() }))
  }

  return {
    create: ({ ttlSeconds, actor, ...campaign }, members, audit) =>
      one(
        pool,
        CampaignRow,
        sql`
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
          select ${columns} from made`,
      ),
    async find(id) {
      const campaign = await row(pool, CampaignRow, sql`select ${columns} from campaigns where id = ${id}`)
      if (!campaign) return undefined
      const [counts, cancellable] = await Promise.all([countsOf([id]), countCancellable(pool, id)])
      return { campaign, counts: counts.get(id) ?? none(), cancellable }
    },
    async list({ tenant, testMode, ...cursor }) {
      const selected = sql`select ${columns} from campaigns where ${matching({ tenant })} and ${inMode(testMode)}`
      const page = await newestPage(pool, CampaignRow, selected, cursor)
      return { ...page, data: await withCounts(page.data) }
    },
    async members(id, { cursor, limit }) {
      const found = await rows(
        pool,
        MemberRow,
        sql`
          select members.connection_id as "connectionId", name as "connectionName", connections.tenant,
            connections.integration, end_user_id as "endUserId", connections.account_label as "accountLabel",
            members.session_id as "sessionId", links.id as "linkId", ${status} as status
          from ${membersWithSession}
          where members.campaign = ${id} ${cursor === undefined ? sql`` : sql`and members.connection_id > ${cursor}`}
          order by members.connection_id limit ${limit + 1}`,
      )
      return pageOf(found, limit, ({ connectionId }) => connectionId)
    },
    needingRelink: ({ limit, ...need }) =>
      rows(
        pool,
        ConnectionRow,
        sql`select ${connectionColumns} from connections where ${needsRelink(need)} order by id limit ${limit}`,
      ),
    countNeedingRelink: async (need) =>
      (await one(pool, Count, sql`select count(*) as count from connections where ${needsRelink(need)}`)).count,
    causesOfNeed: (need) =>
      rows(
        pool,
        CauseCountRow,
        sql`
          select cause, count(*) as count from connections where ${needsRelink(need)} and cause is not null
          group by cause order by count desc, cause`,
      ),
    ownersInNeed: ({ limit, ...need }) =>
      rows(
        pool,
        OwnerCountRow,
        sql`
          select tenant, integration, count(*) as count from connections where ${needsRelink(need)}
          group by tenant, integration order by count desc, tenant, integration limit ${limit}`,
      ),
    cancel: (id, audit) => cancelCampaign(pool, id, audit),
    waitingLinks: (id) => waitingLinks(pool, id),
  }
}

type NeedFilter = Omit<RelinkNeedQuery, 'cause'> & Partial<Pick<RelinkNeedQuery, 'cause'>>

/** Must match the predicate of index `connections_needing_attention`. */
const needsRelink = ({ cause, tenant, testMode, integration, pinned }: NeedFilter): Sql =>
  sql`
    status = 'needs_relink' and ${matching({ cause, tenant, integration })} and ${inMode(testMode)} and ${hasNoOpenSession}
    ${pinned ? sql`and ${hasPinnedAccount}` : sql``}`

const hasNoOpenSession = sql`not exists (
  select from campaign_members as members join connect_sessions as sessions on sessions.id = members.session_id
  where sessions.connection_id = connections.id and cancelled_at is null and expires_at > now()
    and not exists (select from links where links.session_id = sessions.id and links.state = 'linked'))`

function sessionsOf(members: readonly NewMember[]): Sql {
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
      least(made.expires_at, case when not ${hasPinnedAccount} then ${inSeconds(maxUnpinnedSeconds)} end)
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

/** A re-link through another session also counts. */
const status = sql`case
  when links.state = 'linked' or connections.relinked_at > campaigns.created_at then 'linked'
  when links.state = any(${startsAgainFrom}::text[]) then 'failed'
  when links.id is not null then 'started'
  when sessions.cancelled_at is not null then 'cancelled'
  when sessions.expires_at <= now() then 'expired'
  else 'open' end`

const CauseCountRow = z.object({ cause: z.enum(causeCodes), count: z.number() })

const OwnerCountRow = z.object({ tenant: z.string(), integration: z.string(), count: z.number() })

const StatusCount = z.object({ campaign: z.string(), status: z.enum(memberStatuses), count: z.number() })

const MemberRow = z.object({
  connectionId: z.string(),
  connectionName: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUserId: z.string(),
  accountLabel: maybe(z.string()),
  sessionId: z.string(),
  linkId: maybe(z.string()),
  status: z.enum(memberStatuses),
})

const none = () => Object.fromEntries(memberStatuses.map((each) => [each, 0])) as Record<MemberStatus, number>

const CampaignColumns = z.object({
  id: z.string(),
  cause: z.enum(causeCodes),
  tenant: maybe(z.string()),
  integration: maybe(z.string()),
  reason: z.string(),
  actorKind: z.enum(actorKinds),
  actorId: maybe(z.string()),
  actorName: maybe(z.string()),
  members: z.number(),
  expiresAt: z.date(),
  cancelledAt: maybe(z.date()),
  createdAt: z.date(),
})

const columns = sql.columns(CampaignColumns)

const CampaignRow = CampaignColumns.transform(
  ({ actorKind, actorId, actorName, ...campaign }): Campaign => ({
    ...campaign,
    actor: { kind: actorKind, id: actorId, name: actorName },
  }),
)

const cancelCampaign = (pool: pg.Pool, id: string, audit: EntryOf<'campaign.cancelled'>): Promise<void> =>
  inTransaction(pool, async (transaction) => {
    // Waits for concurrent starts, so that the update sees their links. Ordered, so that two cancellations cannot
    // deadlock.
    await execute(transaction, sql`select from connect_sessions where ${isOf(id)} order by id for update`)
    const sessions = await execute(
      transaction,
      sql`update connect_sessions set cancelled_at = now() where ${isCancellable(id)}`,
    )
    const campaigns = await execute(
      transaction,
      sql`update campaigns set cancelled_at = now() where id = ${id} and cancelled_at is null`,
    )
    if (sessions === 0 && campaigns === 0) return
    await noteAudit(transaction, { ...audit, after: { ...audit.after, addressesCancelled: sessions } })
  })

async function countCancellable(db: Queryable, id: string): Promise<number> {
  const query = sql`select count(*) as count from connect_sessions where ${isCancellable(id)}`
  return (await one(db, Count, query)).count
}

const isOf = (id: string): Sql => sql`id in (select session_id from campaign_members where campaign = ${id})`

const waitingLinks = (db: Queryable, id: string): Promise<Link[]> =>
  rows(
    db,
    LinkRow,
    sql`
      select ${linkColumns} from links
      where session_id in (select session_id from campaign_members where campaign = ${id}) and ${isWaiting}
      order by id`,
  )

const isWaiting = sql`links.state = any(${waitingStates}::text[])`

const isMidway = sql`cancelled_at is null
  and exists (select from links where links.session_id = connect_sessions.id and ${isWaiting})`

const isCancellable = (id: string): Sql => sql`${isOf(id)} and ((${isOpenSession}) or (${isMidway}))`
