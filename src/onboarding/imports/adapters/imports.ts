import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { newestPage, pageOf } from '../../adapters/postgres/page-of.ts'
import { inMode, matching, noted } from '../../adapters/postgres/statement-parts.ts'
import { type ImportCounts, isLinkStatus, noRows, type RowStatus, rowStatusOf } from '../../domain/imports/import.ts'
import { statesOf } from '../../domain/link.ts'
import type { Imports } from '../../domain/ports/imports.ts'
import { addRows } from './add-rows.ts'
import { ImportRowColumns, importRowColumns, RowOutcome, rowsAndLinks } from './rows.ts'

export function postgresImports(pool: pg.Pool): Imports {
  return {
    create: ({ id, tenant, name }, audit) =>
      one(
        pool,
        ImportRow,
        sql`
          with made as (
            insert into imports (id, tenant, name) values (${id}, ${tenant}, ${name ?? null}) returning *
          ), ${noted(audit, 'made')}
          select ${columns} from made as imports`,
      ),
    find: (id) => row(pool, ImportRow, sql`select ${columns} from imports where id = ${id}`),
    list({ tenant, testMode, ...page }) {
      const selected = sql`select ${columns} from imports where ${matching({ tenant })} and ${inMode(testMode)}`
      return newestPage(pool, ImportRow, selected, page)
    },
    async counts(id) {
      const counted = await rows(
        pool,
        RowOutcome.extend({ count: z.number() }),
        sql`
          select import_rows.state, import_rows.problem, links.state as "linkState", links.cause, count(*) as count
          from ${rowsAndLinks} where import_rows.import_id = ${id} group by 1, 2, 3, 4`,
      )
      return addUp(counted)
    },
    addRows: (into, taken, { dryRun, audit }) =>
      inTransaction(pool, (transaction) => addRows(transaction, into, taken, { dryRun, audit })),
    async rows(id, { status, cursor, limit }) {
      const found = await rows(
        pool,
        ImportRowColumns,
        sql`
          select ${importRowColumns} from ${rowsAndLinks}
          where import_rows.import_id = ${id} and position > ${cursor ?? '0'}::bigint and ${inStatus(status)}
          order by position limit ${limit + 1}`,
      )
      return pageOf(found, limit, ({ position }) => String(position))
    },
    cancel: (id, audit) =>
      inTransaction(pool, async (transaction) => {
        const marked = sql`update imports set cancelled_at = now() where id = ${id} and cancelled_at is null`
        const isFirst = (await execute(transaction, marked)) > 0
        const forgotten = sql`
          update import_rows set state = 'cancelled', sealed = null where import_id = ${id} and state = 'waiting'`
        await execute(transaction, forgotten)
        if (isFirst) await noteAudit(transaction, audit)
        return isFirst
      }),
  }
}

const ImportRow = z.object({
  id: z.string(),
  tenant: z.string(),
  name: maybe(z.string()),
  createdAt: z.date(),
  cancelledAt: maybe(z.date()),
})

const columns = sql.columns(ImportRow, 'imports')

function inStatus(status: RowStatus | undefined): Sql {
  if (status === undefined) return sql`true`
  if (!isLinkStatus(status)) return sql`import_rows.state = ${status}`
  return sql`import_rows.state = 'started' and links.state = any(${statesOf(status)}::text[])`
}

type CountRow = z.infer<typeof RowOutcome> & { count: number }

function addUp(counted: readonly CountRow[]): ImportCounts {
  const byStatus = noRows()
  const byCause: ImportCounts['byCause'] = {}
  for (const each of counted) {
    const status = rowStatusOf(each)
    byStatus[status] += each.count
    // The cause of a row that is being retried does not count.
    const why = each.problem ?? (status === 'failed' || status === 'needs_attention' ? each.cause : undefined)
    if (why) byCause[why] = (byCause[why] ?? 0) + each.count
  }
  return { byStatus, byCause }
}
