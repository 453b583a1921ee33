import type pg from 'pg'
import { z } from 'zod'
import { countedResources, type ResourceCounts, WorkspaceStatus } from '../../../contract/control-plane/workspace.ts'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { throwNameResting } from '../../shared/postgres/names-at-rest.ts'
import type { Workspace, Workspaces } from '../domain/workspace.ts'

const columns = `id, name, display_name as "displayName", account_id as "accountId", region, labels,
  group_mappings as "groupMappings", runtime, status, status_reason as "statusReason",
  created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy", updated_by as "updatedBy"`

const Row = z.object({
  id: z.string(),
  name: z.string(),
  displayName: z.string(),
  accountId: z.string(),
  region: z.string(),
  labels: z.record(z.string(), z.string()),
  groupMappings: z.array(z.object({ groupName: z.string(), role: z.enum(['admin', 'member']) })),
  runtime: z.object({ generation: z.enum(['mk2', 'mk3']).optional() }),
  status: WorkspaceStatus,
  statusReason: z.string().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  updatedBy: z.string(),
})

const Free = z.object({ free: z.boolean() })
const KindCount = z.object({ kind: z.string(), count: z.number() })

export function postgresWorkspaces(pool: pg.Pool): Workspaces {
  const one = async (text: string, values: unknown[]): Promise<Workspace | undefined> => {
    const { rows } = await pool.query(text, values)
    return rows[0] && stored(Row, rows[0])
  }
  return {
    add: (workspace, adminId, by) =>
      one(
        `${withAudit(insert, about, '$13')},
         admin as (insert into workspace_members (workspace, user_id, role) select name, $12, 'admin' from changed)
         select ${columns} from changed`,
        [...insertValues(workspace), adminId, auditEntry(by, 'workspace.created')],
      ).catch(throwNameResting),

    find: (name) => one(`select ${columns} from workspaces where name = $1`, [name]),

    async list(names) {
      const { rows } = await pool.query(`select ${columns} from workspaces where name = any($1) order by name`, [names])
      return stored(z.array(Row), rows)
    },

    update: (name, { displayName, region, labels, groupMappings, runtime, updatedAt, updatedBy }, by) =>
      one(`${withAudit(update, about, '$9')} select ${columns} from changed`, [
        name,
        displayName,
        region,
        ...[labels, groupMappings, runtime].map(asJson),
        updatedAt,
        updatedBy,
        auditEntry(by, 'workspace.updated'),
      ]),

    async setStatus(name, from, to) {
      await pool.query('update workspaces set status = $3 where name = $1 and status = $2', [name, from, to])
    },

    remove: (name, by) => removeWhole(pool, name, by),

    async isFree(name, accountIds) {
      const { rows } = await pool.query(isFree, [name, accountIds])
      return stored(Free, rows[0]).free
    },

    counts: (name) => countAll(pool, name),

    async unready(before) {
      const text = `select ${columns} from workspaces where status not in ('ready', 'error') and created_at < $1 limit 100`
      return stored(z.array(Row), (await pool.query(text, [before])).rows)
    },
  }
}

const about = { workspace: 'c.name', workspaceId: 'c.id', kind: `'workspace'`, name: 'c.name', id: 'c.id' }

const insert = `insert into workspaces (id, name, display_name, account_id, region, labels, group_mappings, runtime,
    status, created_at, updated_at, created_by, updated_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $11) on conflict (name) do nothing returning *`

const update = `update workspaces set display_name = coalesce($2, display_name), region = coalesce($3, region),
    labels = coalesce($4, labels), group_mappings = coalesce($5, group_mappings),
    runtime = coalesce($6, runtime), updated_at = $7, updated_by = $8
  where name = $1 returning *`

/** As the insert would find it: not taken, and not given up by another account within the hour. */
const isFree = `select not exists (select from workspaces where name = $1) and not exists (
    select from workspace_owners
    where workspace = $1 and account_id <> all($2) and released_at > now() - interval '1 hour') as free`

const asJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

const insertValues = (workspace: Workspace) => [
  workspace.id,
  workspace.name,
  workspace.displayName,
  workspace.accountId,
  workspace.region,
  ...[workspace.labels, workspace.groupMappings, workspace.runtime].map(asJson),
  workspace.status,
  workspace.createdAt,
  workspace.createdBy,
]

/** A full workspace takes longer to remove than any other statement may run. */
function removeWhole(pool: pg.Pool, name: string, by: Actor): Promise<Workspace | undefined> {
  const remove = async (client: pg.PoolClient) => {
    const { rows } = await client.query({
      text: `${withAudit('delete from workspaces where name = $1 returning *', about, '$2')}
        select ${columns} from changed`,
      values: [name, auditEntry(by, 'workspace.deleted')],
      query_timeout: 600_000,
    } as pg.QueryConfig)
    return rows[0] && stored(Row, rows[0])
  }
  return inTransaction(pool, remove, `begin; set local statement_timeout = '10min'`)
}

/** The name of a kind is the singular of its name in the counts. */
const singular = (counted: string) => counted.replace(/xes$/, 'x').replace(/ies$/, 'y').replace(/s$/, '')

async function countAll(pool: pg.Pool, workspace: string): Promise<ResourceCounts> {
  const { rows } = await pool.query(
    `select kind, sum(count)::bigint as count from resource_counts where workspace = $1 group by kind
     union all select 'serviceaccount', count(*) from service_accounts where workspace = $1`,
    [workspace],
  )
  const byKind = new Map(stored(z.array(KindCount), rows).map(({ kind, count }) => [kind, count]))
  return Object.fromEntries(countedResources.map((word) => [word, byKind.get(singular(word)) ?? 0])) as ResourceCounts
}
