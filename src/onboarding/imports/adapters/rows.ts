import { z } from 'zod'
import { maybe, sql } from '../../../kit/database/sql.ts'
import { CauseColumn, EndUserColumn } from '../../adapters/postgres/schema.ts'
import { rowStates } from '../../domain/imports/import.ts'
import { rowProblems } from '../../domain/imports/row-problem.ts'
import { linkStates } from '../../domain/link.ts'

const InputErrors = z.array(z.object({ pointer: z.string(), detail: z.string() }))

const ownColumns = {
  importId: z.string(),
  key: z.string(),
  position: z.coerce.number(),
  integration: z.string(),
  endUser: EndUserColumn,
  accountId: maybe(z.string()),
  state: z.enum(rowStates),
  problem: maybe(z.enum(rowProblems)),
  errors: maybe(InputErrors),
  linkId: z.string(),
  connectionId: z.string(),
}

const linkColumns = { linkState: maybe(z.enum(linkStates)), cause: CauseColumn }

export const ImportRowColumns = z.object({ ...ownColumns, ...linkColumns })

export const RowOutcome = ImportRowColumns.pick({ state: true, problem: true, linkState: true, cause: true })

export const importRowColumns = sql`
  ${sql.columns(z.object(ownColumns), 'import_rows')}, links.state as "linkState", links.cause`

export const rowsAndLinks = sql`
  import_rows left join links on import_rows.state = 'started' and links.id = import_rows.link_id`
