import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../../kit/database/database.ts'
import { stored } from '../../../kit/database/stored.ts'
import { readEntry } from '../../adapters/postgres/audit-entries.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor } from '../../domain/ports/support-ledger.ts'

export async function auditLines(db: Database<LedgerSchema>, filter: AuditFilter & Cursor): Promise<Page<AuditLine>> {
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
  // A union, not an "or": each half reads its own index, newest first, up to the limit.
  const half = (query: typeof newest) => db.selectFrom(query.as('half')).selectAll().select(hasConnection)
  const named = (who: string) => newest.where('actor_name', '=', who).where('actor_id', 'is distinct from', who)
  const either = (who: string) => half(newest.where('actor_id', '=', who)).unionAll(half(named(who)))
  const query = actor === undefined ? half(newest) : either(actor)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
  return pageOf(rows.map(toAuditLine), filter.limit, ({ id }) => String(id))
}

/** Ids grow with time, so a time range is a range of ids and paging by id still works. */
async function within(db: Database<LedgerSchema>, { from, to }: Pick<AuditFilter, 'from' | 'to'>) {
  const ids = db.selectFrom('audit').select('id').limit(1)
  const first = from && (await ids.where('at', '>=', from).orderBy('at').executeTakeFirst())
  const last = to && (await ids.where('at', '<', to).orderBy('at', 'desc').executeTakeFirst())
  return sql<boolean>`id between ${from ? (first?.id ?? never) : 0} and ${to ? (last?.id ?? 0) : never}`
}

const never = Number.MAX_SAFE_INTEGER

// A link names its connection before that exists, and a link that fails never creates it.
const hasConnection = sql<boolean>`exists (select from connections where connections.id = half.connection)`.as(
  'has_connection',
)

const Made = z.object({ has_connection: z.boolean() })

const toAuditLine = (row: unknown): AuditLine => ({
  ...readEntry(row),
  hasConnection: stored(Made, row).has_connection,
})
