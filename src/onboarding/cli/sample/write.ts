// Writes the past. The ledger's ports write what happens now, so they cannot: their times are the database's.
import type pg from 'pg'
import { execute, type Queryable, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import { type Draft, type Row, sampleTables } from './draft.ts'

/** All of it or nothing. Entries of the audit get their ids in the order of their times, as always. */
export const writeHistory = (pool: pg.Pool, draft: Draft, begun: Date): Promise<void> =>
  inTransaction(pool, async (transaction) => {
    for (const table of sampleTables) await writeRows(transaction, table, draft.rows[table])
    await execute(transaction, healthDays)
    const entries = draft.audit.toSorted((a, b) => a.at.getTime() - b.at.getTime())
    await writeRows(
      transaction,
      'audit',
      entries.map(({ at, entry }) => ({ at, ...parsed(auditRow(entry)) })),
    )
    await execute(transaction, sql`update tenants set created_at = ${begun} where starts_with(id, 'sample-')`)
    await execute(transaction, sql`update webhooks set created_at = ${begun} where starts_with(tenant, 'sample-')`)
  })

/** Real checks of the same day may have been counted already. */
const healthDays = sql`
  insert into health_days (integration, day, outcome, checks)
  select integration, date_trunc('day', at, 'UTC'), outcome, count(*)
  from health_checks join connections on connections.id = connection_id
  where starts_with(tenant, 'sample-') group by 1, 2, 3
  on conflict (integration, day, outcome) do update set checks = health_days.checks + excluded.checks`

/** The columns that hold JSON are given as text, for drivers. */
const parsed = (row: Record<string, string | null>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isJson(name) && value !== null ? JSON.parse(value) : value]),
  )

const isJson = (column: string): boolean => column === 'facts' || column === 'before' || column === 'after'

async function writeRows(db: Queryable, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = sql.join(Object.keys(first).map((name) => sql.identifier(name)))
  const target = sql.identifier(table)
  await execute(
    db,
    sql`insert into ${target} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${target}, ${JSON.stringify(rows)}::jsonb)`,
  )
}
