// Lists for the support console: each page begins where the last one ended, so the ten-thousandth costs what the first does.
import { type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { idsSince } from '../../adapters/crypto/tokens.ts'
import { EntryRow, entryColumns } from '../../adapters/postgres/audit-entries.ts'
import { type Cursor, newestPage } from '../../adapters/postgres/page-of.ts'
import { matching } from '../../adapters/postgres/statement-parts.ts'
import { healthHistory } from '../../connections/adapters/health-checks.ts'
import type { WrittenEntry } from '../../domain/audit/audit-entry.ts'
import type { Span, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { connectionsPage } from '../../provisioning/adapters/postgres/connections.ts'
import { callsOfLinks } from '../../provisioning/adapters/postgres/link-calls.ts'
import { linksPage } from '../../provisioning/adapters/postgres/links.ts'
import { LinkRow, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import { auditLines } from './support-audit.ts'
import { grantsOf, lastTaskOf, openAddressesOf } from './support-connection.ts'
import {
  countHealthByDay,
  countLinksByDay,
  countProblems,
  countRetries,
  isRetrying,
  readBacklogs,
} from './support-overview.ts'
import { searchLedger } from './support-search.ts'
import { deliveriesPage, receiversOf } from './support-webhooks.ts'

export function supportLedger(db: Queryable): SupportLedger {
  return {
    problems: () => countProblems(db),
    retries: () => countRetries(db),
    linksByDay: (days) => countLinksByDay(db, days),
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

/** Ids sort by time, so the primary key finds a day. */
const within = (prefix: string, { from, to }: Span): Sql =>
  sql`${from ? sql`and id >= ${idsSince(prefix, from)}` : sql``} ${to ? sql`and id < ${idsSince(prefix, to)}` : sql``}`

/** Newest first. `wanted` names the integration. */
export function linksOfIntegration(db: Queryable, wanted: Sql, page: Cursor) {
  const after = page.cursor === undefined ? sql`` : sql`and id < ${page.cursor}`
  const newest = (which: Sql) =>
    sql`(select * from links where ${wanted} and ${which} ${after} order by id desc limit ${page.limit + 1})`
  const both = sql`${newest(sql`due_at is null`)} union all ${newest(sql`due_at is not null`)}`
  return newestPage(db, LinkRow, sql`select ${linkColumns} from (${both}) as links where true`, page)
}
