// Lists for the support console: each page begins where the last one ended, so the ten-thousandth costs what the first does.
import { sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { readEntry } from '../../adapters/postgres/audit-entries.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { WrittenEntry } from '../../domain/audit/audit-entry.ts'
import type { SupportLedger } from '../../domain/ports/support-ledger.ts'
import { toConnection } from '../../provisioning/adapters/postgres/connections.ts'
import { toLink } from '../../provisioning/adapters/postgres/links.ts'
import { auditLines } from './support-audit.ts'
import { grantsOf, healthOf, lastTaskOf, openAddressesOf } from './support-connection.ts'
import { countLinksByDay, countProblems, countRetries, isRetrying, readBacklogs } from './support-overview.ts'
import { searchLedger } from './support-search.ts'
import { deliveriesPage, receiversOf } from './support-webhooks.ts'

export function supportLedger(db: Database<LedgerSchema>): SupportLedger {
  return {
    problems: () => countProblems(db),
    retries: () => countRetries(db),
    linksByDay: (days) => countLinksByDay(db, days),
    backlogs: () => readBacklogs(db),
    search: (text, limit) => searchLedger(db, text, limit),
    async connections({ tenant, integration, status, cause, cursor, limit }) {
      let query = db.selectFrom('connections').selectAll().orderBy('id', 'desc')
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (integration !== undefined) query = query.where('integration', '=', integration)
      if (status !== undefined) query = query.where('status', '=', status)
      if (cause !== undefined) query = query.where('cause', '=', cause)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      return pageOf((await query.limit(limit + 1).execute()).map(toConnection), limit, ({ id }) => id)
    },
    async links({ tenant, state, cause, retrying, cursor, limit }) {
      let query = db.selectFrom('links').selectAll().orderBy('id', 'desc')
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (state !== undefined) query = query.where('state', '=', sql.lit(state))
      if (cause !== undefined) query = query.where('cause', '=', cause)
      if (retrying) query = query.where(isRetrying)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      return pageOf((await query.limit(limit + 1).execute()).map(toLink), limit, ({ id }) => id)
    },
    async timelines(connectionId, limit) {
      const links = db.selectFrom('links').selectAll().where('connection_id', '=', connectionId)
      const rows = await links.orderBy('id', 'desc').limit(limit).execute()
      if (rows.length === 0) return []
      const ids = rows.map(({ id }) => id)
      const entries = await entriesOf(db, ids)
      return rows.map((row) => ({ link: toLink(row), entries: entries.filter(({ link }) => link === row.id) }))
    },
    timeline: (linkId) => entriesOf(db, [linkId]),
    health: (id, limit) => healthOf(db, id, limit),
    grants: (id) => grantsOf(db, id),
    openAddresses: (id) => openAddressesOf(db, id),
    lastTask: (id) => lastTaskOf(db, id),
    deliveries: (query) => deliveriesPage(db, query),
    receivers: (tenant, limit) => receiversOf(db, tenant, limit),
    audit: (query) => auditLines(db, query),
  }
}

async function entriesOf(db: Database<LedgerSchema>, links: readonly string[]): Promise<WrittenEntry[]> {
  const rows = await db.selectFrom('audit').selectAll().where('link', 'in', links).orderBy('id').execute()
  return rows.map(readEntry)
}
