import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { maybe, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { EntryRow, entryColumns } from '../../adapters/postgres/audit-entries.ts'
import { newestPage } from '../../adapters/postgres/page-of.ts'
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
  SupportLedger,
  TaskTrace,
} from '../../domain/ports/support-ledger.ts'
import { grantSlots } from '../../domain/stored-grant.ts'
import { webhookStatuses } from '../../domain/webhooks/webhook.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { callsOfLinks } from '../../provisioning/adapters/postgres/link-calls.ts'
import { linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import {
  DeliveryColumns,
  deliveriesWithEvents,
  deliveryColumns,
  toDelivery,
} from '../../webhooks/adapters/webhook-deliveries.ts'
import { WebhookRow, webhookColumns } from '../../webhooks/adapters/webhooks.ts'
import { auditLines } from './support-audit.ts'
import { listConnections, listLinks } from './support-lists.ts'
import {
  countHealthByDay,
  countLinksByDay,
  countProblems,
  countRetries,
  countTenant,
  readBacklogs,
} from './support-overview.ts'
import { endUsersOf, findPerson, tenantNamesOf } from './support-people.ts'
import { searchLedger } from './support-search.ts'

export function supportLedger(db: Queryable): SupportLedger {
  // Many people open the same chart.
  const linksByDay = ttlCache((days: string) => countLinksByDay(db, Number(days)), { ttlMs: 10_000, capacity: 4 })
  const integrationsInUse = ttlCache(() => findIntegrationsInUse(db), { ttlMs: 60_000, capacity: 1 })
  return {
    problems: () => countProblems(db),
    retries: () => countRetries(db),
    linksByDay: (days) => linksByDay.get(String(days)),
    healthByDay: (integration, days) => countHealthByDay(db, integration, days),
    backlogs: () => readBacklogs(db),
    search: (text, limit) => searchLedger(db, text, limit),
    connections: (query) => listConnections(db, query),
    links: (query) => listLinks(db, query),
    person: (tenant, endUserId) => findPerson(db, tenant, endUserId),
    tenantFigures: (tenant, days) => countTenant(db, tenant, days),
    integrationsInUse: () => integrationsInUse.get(''),
    tenantsByName: (limit) =>
      rows(
        db,
        TenantChoice,
        sql`
          select id, display_name as "displayName" from tenants where status <> 'deleted'
          order by lower(display_name) collate "C" limit ${limit}`,
      ),
    tenantNames: (ids) => tenantNamesOf(db, ids),
    endUsers: (connectionIds) => endUsersOf(db, connectionIds),
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

const TenantChoice = z.object({ id: z.string(), displayName: z.string() })

/** Jumps from one value to the next in an index: its cost grows with the number of integrations, not of rows. */
async function findIntegrationsInUse(db: Queryable): Promise<string[]> {
  const next = (table: Sql, after: Sql) =>
    sql`(select integration from ${table} and ${after} order by integration limit 1)`
  const values = (table: Sql) => sql`
    select integration from (
      with recursive used as (
        ${next(table, sql`true`)}
        union all
        select ${next(table, sql`integration > used.integration`)} from used where used.integration is not null
      ) select integration from used
    ) as found where integration is not null`
  const either = sql`
    ${values(sql`connections where true`)} union ${values(sql`links where due_at is null`)} order by integration`
  return (await rows(db, IntegrationRow, either)).map(({ integration }) => integration)
}

const IntegrationRow = z.object({ integration: z.string() })

const entriesOf = (db: Queryable, links: readonly string[]): Promise<WrittenEntry[]> =>
  rows(db, EntryRow, sql`select ${entryColumns} from audit where link = any(${links}::text[]) order by id`)

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
