// Lists for the support console: each page begins where the last one ended, so the ten-thousandth costs what the first does.
import { type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { Page } from '../../domain/ports.ts'
import type { AuditFilter, AuditLine, Cursor, SupportLedger } from '../../domain/support-ports.ts'
import { momentsOf } from './audit.ts'
import { toConnection } from './connections.ts'
import { toLink } from './links.ts'
import type { LedgerSchema } from './schema.ts'
import { grantsOf, healthOf, openAddressesOf, openTaskOf } from './support-connection.ts'
import { countLinksByDay, countRetries, countTroubles, isTriedAgain, readBacklogs } from './support-overview.ts'
import { searchLedger } from './support-search.ts'
import { deliveriesWithEvents, toDelivery } from './webhook-deliveries.ts'

export function supportLedger(db: Database<LedgerSchema>): SupportLedger {
  return {
    troubles: () => countTroubles(db),
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
    async links({ tenant, state, cause, triedAgain, cursor, limit }) {
      let query = db.selectFrom('links').selectAll().orderBy('id', 'desc')
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (state !== undefined) query = query.where('state', '=', sql.lit(state))
      if (cause !== undefined) query = query.where('cause', '=', cause)
      if (triedAgain) query = query.where(isTriedAgain)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      return pageOf((await query.limit(limit + 1).execute()).map(toLink), limit, ({ id }) => id)
    },
    async stories(connectionId, limit) {
      const links = db.selectFrom('links').selectAll().where('connection_id', '=', connectionId)
      const rows = await links.orderBy('id', 'desc').limit(limit).execute()
      if (rows.length === 0) return []
      const ids = rows.map(({ id }) => id)
      const noted = await db.selectFrom('audit').selectAll().where('link', 'in', ids).orderBy('id').execute()
      return rows.map((row) => ({
        link: toLink(row),
        moments: noted.filter(({ link }) => link === row.id).flatMap(momentsOf),
      }))
    },
    health: (id, limit) => healthOf(db, id, limit),
    grants: (id) => grantsOf(db, id),
    openAddresses: (id) => openAddressesOf(db, id),
    openTask: (id) => openTaskOf(db, id),
    async deliveries({ tenant, status, cursor, limit }) {
      let query = deliveriesWithEvents(db).orderBy('webhook_deliveries.id', 'desc')
      if (tenant !== undefined) query = query.where('webhook_deliveries.tenant', '=', tenant)
      if (status !== undefined) query = query.where('webhook_deliveries.status', '=', sql.lit(status))
      if (cursor !== undefined) query = query.where('webhook_deliveries.id', '<', cursor)
      return pageOf((await query.limit(limit + 1).execute()).map(toDelivery), limit, ({ id }) => id)
    },
    audit: (query) => auditLines(db, query),
  }
}

async function auditLines(db: Database<LedgerSchema>, filter: AuditFilter & Cursor): Promise<Page<AuditLine>> {
  const columns = {
    tenant: filter.tenant,
    action: filter.action,
    connection: filter.connection,
    link: filter.link,
    request_id: filter.requestId,
  } as const
  let fitting = db.selectFrom('audit').selectAll()
  for (const [column, value] of Object.entries(columns) as Array<[keyof typeof columns, string | undefined]>) {
    if (value !== undefined) fitting = fitting.where(column, '=', value)
  }
  if (filter.kinds) fitting = fitting.where('actor_kind', 'in', filter.kinds)
  fitting = fitting.where(await within(db, filter))
  if (filter.cursor !== undefined) fitting = fitting.where('id', '<', Number(filter.cursor))
  const newest = fitting.orderBy('id', 'desc').limit(filter.limit + 1)
  const { actor } = filter
  // Apart, and not with an "or": each half is read from an index of its own, newest first, and no further than needed.
  const half = (query: typeof newest) => db.selectFrom(query.as('half')).selectAll()
  const named = (who: string) => newest.where('actor_name', '=', who).where('actor_id', 'is distinct from', who)
  const either = (who: string) => half(newest.where('actor_id', '=', who)).unionAll(half(named(who)))
  const query = actor === undefined ? half(newest) : either(actor)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
  return pageOf(rows.map(toAuditLine), filter.limit, ({ id }) => String(id))
}

/** Lines stand in the order of time, so a span of time is a span of ids, and the list is walked by id all the same. */
async function within(db: Database<LedgerSchema>, { from, to }: Pick<AuditFilter, 'from' | 'to'>) {
  const ids = db.selectFrom('audit').select('id').limit(1)
  const first = from && (await ids.where('at', '>=', from).orderBy('at').executeTakeFirst())
  const last = to && (await ids.where('at', '<', to).orderBy('at', 'desc').executeTakeFirst())
  return sql<boolean>`id between ${from ? (first?.id ?? never) : 0} and ${to ? (last?.id ?? 0) : never}`
}

const never = Number.MAX_SAFE_INTEGER

type AuditRow = Selectable<LedgerSchema['audit']>

const toAuditLine = (row: AuditRow): AuditLine => ({
  id: row.id,
  at: row.at,
  action: row.action,
  actor: {
    kind: row.actor_kind as AuditLine['actor']['kind'],
    id: row.actor_id ?? undefined,
    name: row.actor_name ?? undefined,
  },
  tenant: row.tenant ?? undefined,
  link: row.link ?? undefined,
  connection: row.connection ?? undefined,
  reason: row.reason ?? undefined,
  requestId: row.request_id ?? undefined,
  address: row.address ?? undefined,
  before: (row.before as AuditLine['before']) ?? undefined,
  after: (row.after as AuditLine['after']) ?? undefined,
})

function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: rows.length > limit && last ? cursorOf(last) : undefined }
}
