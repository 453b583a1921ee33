import { z } from 'zod'
import { maybe, sql } from '../../../../kit/database/sql.ts'
import { AccountColumn, accountOf, CauseColumn, ConfigColumn, LabelsColumn } from '../../../adapters/postgres/schema.ts'
import { connectionStatuses } from '../../../domain/connection.ts'
import { LinkRow } from '../../../domain/link.ts'

export const LinkColumns = LinkRow.omit({ account: true, kind: true })

const kind = sql`case when links.relink then 'relink' when links.import_id is not null then 'import' else 'first' end as kind`

export const linkColumns = sql`${sql.columns(LinkColumns, 'links')}, ${kind}, ${accountOf('links')}`

const ConnectionColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  name: z.string(),
  functionName: z.string(),
  functionUrl: z.string(),
  alias: maybe(z.string()),
  labels: maybe(LabelsColumn),
  scopes: z.array(z.string()),
  config: ConfigColumn,
  status: z.enum(connectionStatuses),
  statusSince: z.date(),
  cause: CauseColumn,
  grantVersion: z.number(),
  checkedAt: maybe(z.date()),
  unclearSince: maybe(z.date()),
  unclearChecks: z.number(),
  unexplainedRefusals: z.number(),
  healthUnknownSince: maybe(z.date()),
  grantEndsAt: maybe(z.date()),
  relinkedAt: maybe(z.date()),
  disconnectedAt: maybe(z.date()),
  endUserId: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const ConnectionRow = ConnectionColumns.extend({ account: AccountColumn })

export const connectionColumns = sql`${sql.columns(ConnectionColumns, 'connections')}, ${accountOf('connections')}`
