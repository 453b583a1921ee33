// Lists use keyset pagination, so late pages cost as much as the first.

import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { maybe, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { idsSince } from '../../adapters/crypto/tokens.ts'
import { EntryRow, entryColumns } from '../../adapters/postgres/audit-entries.ts'
import { type Cursor, newestPage } from '../../adapters/postgres/page-of.ts'
import { inMode, matching } from '../../adapters/postgres/statement-parts.ts'
import { TaskRow, taskColumns } from '../../connections/adapters/connection-tasks.ts'
import { healthHistory } from '../../connections/adapters/health-checks.ts'
import type { WrittenEntry } from '../../domain/audit/audit-entry.ts'
import { LinkRow } from '../../domain/link.ts'
import type {
  GrantTrace,
  OpenAddress,
  Receiver,
  SentDelivery,
  Span,
  SupportLedger,
  TaskTrace,
} from '../../domain/ports/support-ledger.ts'
import { grantSlots } from '../../domain/stored-grant.ts'
import { webhookStatuses } from '../../domain/webhooks/webhook.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { connectionsPage } from '../../provisioning/adapters/postgres/connections.ts'
import { callsOfLinks } from '../../provisioning/adapters/postgres/link-calls.ts'
import { linksPage } from '../../provisioning/adapters/postgres/links.ts'
import { linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import {
  DeliveryColumns,
  deliveriesWithEvents,
  deliveryColumns,
  toDelivery,
} from '../../webhooks/adapters/webhook-deliveries.ts'
import { WebhookRow, webhookColumns } from '../../webhooks/adapters/webhooks.ts'
import { auditLines } from './support-audit.ts'
import {
  countHealthByDay,
  countLinksByDay,
  countProblems,
  countRetries,
  isRetrying,
  readBacklogs,
} from './support-overview.ts'
import { searchLedger } from './support-search.ts'

export function supportLedger(db: Queryable): SupportLedger {
  // Many people open the same chart.
  const linksByDay = ttlCache((days: string) => countLinksByDay(db, Number(days)), { ttlMs: 10_000, capacity: 4 })
  return {
    problems: () => countProblems(db),
    retries: () => countRetries(db),
    linksByDay: (days) => linksByDay.get(String(days)),
    healthByDay: (integration, days) => countHealthByDay(db, integration, days),
    backlogs: () => readBacklogs(db),
    search: (text, limit) => searchLedger(db, text, limit),
    connections({ tenant, integration, status, cause, healthUnknown, grantEnding, cursor, limit, ...span }) {
      const unjudged = healthUnknown ? sql`and health_unknown_since is not null` : sql``
      const ending = grantEnding ? sql`and grant_ends_at is not null and status = 'active'` : sql``
      const wanted = sql`${matching({ tenant, integration, status, cause })} ${unjudged} ${ending} ${within('con', span)}`
      return connectionsPage(db, wanted, { cursor, limit })
    },
    links({ tenant, integration, state, cause, retrying, cursor, limit, ...span }) {
      const inState = state === undefined ? sql`` : sql`and state = ${sql.literal(state)}`
      const inRetry = retrying ? sql`and ${isRetrying}` : sql``
      const wanted = sql`${matching({ tenant, integration, cause })} ${inState} ${inRetry} ${within('lnk', span)}`
      const page = integration === undefined ? linksPage : linksOfIntegration
      return page(db, wanted, { cursor, limit })
    },
    async timelines(connectionId, limit) {
      const links = await rows(
        db,
        LinkRow,
        sql`select ${linkColumns} from links where connection_id = ${connectionId} order by id desc limit ${limit}`,
      )
      if (links.length === 0) return []
      const ids = links.map(({ id }) => id)
      const entries = await entriesOf(db, ids)
      return links.map((each) => ({ link: each, entries: entries.filter(({ link }) => link === each.id) }))
    },
    timeline: (linkId) => entriesOf(db, [linkId]),
    outsideCalls: (linkIds) => callsOfLinks(db, linkIds),
    health: (id, limit) => healthHistory(db, id, limit),
    grants: (id) => grantsOf(db, id),
    openAddresses: (id) => openAddressesOf(db, id),
    lastTask: (id) => lastTaskOf(db, id),
    deliveries: (query) => deliveriesPage(db, query),
    receivers: (tenant, limit) => receiversOf(db, tenant, limit),
    audit: (query) => auditLines(db, query),
  }
}

const entriesOf = (db: Queryable, links: readonly string[]): Promise<WrittenEntry[]> =>
  rows(db, EntryRow, sql`select ${entryColumns} from audit where link = any(${links}::text[]) order by id`)

/** IDs sort by time, so the primary key finds a day. */
const within = (prefix: string, { from, to }: Span): Sql =>
  sql`${from ? sql`and id >= ${idsSince(prefix, from)}` : sql``} ${to ? sql`and id < ${idsSince(prefix, to)}` : sql``}`

/** `wanted` must name the integration. */
export function linksOfIntegration(db: Queryable, wanted: Sql, page: Cursor) {
  const after = page.cursor === undefined ? sql`` : sql`and id < ${page.cursor}`
  const newest = (which: Sql) =>
    sql`(select * from links where ${wanted} and ${which} ${after} order by id desc limit ${page.limit + 1})`
  const both = sql`${newest(sql`due_at is null`)} union all ${newest(sql`due_at is not null`)}`
  return newestPage(db, LinkRow, sql`select ${linkColumns} from (${both}) as links where true`, page)
}

function deliveriesPage(
  db: Queryable,
  { tenant, status, ...page }: Parameters<SupportLedger['deliveries']>[0],
): ReturnType<SupportLedger['deliveries']> {
  const selected = sql`
    select ${deliveryColumns}, webhooks.url, webhooks.status as "receiverStatus"
    from ${deliveriesWithEvents} join webhooks on webhooks.id = webhook_deliveries.webhook
    where ${matching({ 'webhook_deliveries.tenant': tenant })} and ${liveUnlessNamed(tenant, 'webhook_deliveries.tenant')}
      ${status === undefined ? sql`` : sql`and webhook_deliveries.status = ${sql.literal(status)}`}`
  return newestPage(db, SentRow, selected, page, sql`webhook_deliveries.id`)
}

/** Test tenants are only listed if named. */
const liveUnlessNamed = (tenant: string | undefined, column?: string) =>
  inMode(tenant === undefined ? false : undefined, column)

const SentRow = DeliveryColumns.extend({ url: z.string(), receiverStatus: z.enum(webhookStatuses) }).transform(
  ({ url, receiverStatus, ...row }): SentDelivery => ({
    ...toDelivery(row),
    receiver: { url, status: receiverStatus },
  }),
)

const receiversOf = (db: Queryable, tenant: string | undefined, limit: number): Promise<Receiver[]> =>
  rows(
    db,
    WebhookRow,
    sql`
      select ${webhookColumns} from webhooks
      where ${tenant === undefined ? sql`status = 'disabled'` : sql`tenant = ${tenant}`} and ${liveUnlessNamed(tenant)}
      order by id desc limit ${limit}`,
  )

/** Does not read the encrypted grant. */
const grantsOf = (db: Queryable, connectionId: string): Promise<GrantTrace[]> =>
  rows(
    db,
    GrantRow,
    sql`
      select link_id as "linkId", slot, fingerprint, sealed is not null as "isStored", keep_until as "storedUntil",
        created_at as since
      from stored_grants where connection_id = ${connectionId} order by slot`,
  )

const GrantRow = z.object({
  linkId: z.string(),
  slot: z.enum(grantSlots),
  fingerprint: maybe(z.string()),
  isStored: z.boolean(),
  storedUntil: maybe(z.date()),
  since: z.date(),
})

/** Not sorted by ID: a seeded ID has the time of the first attempt, and another task may be newer. */
const lastTaskOf = (db: Queryable, connectionId: string): Promise<TaskTrace | undefined> =>
  row(
    db,
    TaskRow,
    sql`
      select ${taskColumns} from connection_tasks where connection_id = ${connectionId}
      order by due_at is null, created_at desc limit 1`,
  )

const openAddressesOf = (db: Queryable, connectionId: string): Promise<OpenAddress[]> =>
  rows(
    db,
    AddressRow,
    sql`
      select ${sql.columns(AddressRow)} from connect_sessions
      where connection_id = ${connectionId} and ${isOpenSession}
      order by id desc limit 10`,
  )

const AddressRow = z.object({
  id: z.string(),
  expiresAt: z.date(),
  createdAt: z.date(),
  allowOtherAccount: z.boolean(),
})
