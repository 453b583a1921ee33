import type pg from 'pg'
import { z } from 'zod'
import { countedResources, type ResourceCounts, WorkspaceStatus } from '../../../contract/control-plane/workspace.ts'
import { execute, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { throwNameResting } from '../../shared/postgres/names-at-rest.ts'
import { unreadyStatuses, type Workspace, type Workspaces } from '../domain/workspace.ts'

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

const columns = sql.columns(Row)

const Free = z.object({ free: z.boolean() })
const KindCount = z.object({ kind: z.string(), count: z.number() })

export function postgresWorkspaces(pool: pg.Pool): Workspaces {
  return {
    add: (workspace, adminId, by) =>
      row(
        pool,
        Row,
        sql`${withAudit(insert(workspace), about, auditEntry(by, 'workspace.created'))},
          admin as (
            insert into workspace_members (workspace, user_id, role) select name, ${adminId}, 'admin' from changed)
          select ${columns} from changed`,
      ).catch(throwNameResting),

    find: (name) => row(pool, Row, sql`select ${columns} from workspaces where name = ${name}`),

    list: (names) =>
      rows(pool, Row, sql`select ${columns} from workspaces where name = any(${names}::text[]) order by name`),

    update: (name, { displayName, region, labels, groupMappings, runtime, updatedAt, updatedBy }, by) => {
      const update = sql`
        update workspaces set display_name = coalesce(${displayName ?? null}, display_name),
          region = coalesce(${region ?? null}, region), labels = coalesce(${asJson(labels)}, labels),
          group_mappings = coalesce(${asJson(groupMappings)}, group_mappings),
          runtime = coalesce(${asJson(runtime)}, runtime), updated_at = ${updatedAt ?? null}, updated_by = ${updatedBy ?? null}
        where name = ${name} returning *`
      return row(
        pool,
        Row,
        sql`${withAudit(update, about, auditEntry(by, 'workspace.updated'))} select ${columns} from changed`,
      )
    },

    async setStatus(name, from, to) {
      await execute(pool, sql`update workspaces set status = ${to} where name = ${name} and status = ${from}`)
    },

    remove: (name, by) => removeWhole(pool, name, by),

    // Must match the insert: the name is not taken and was not released by another account in the last hour.
    isFree: async (name, accountIds) =>
      (
        await one(
          pool,
          Free,
          sql`select not exists (select from workspaces where name = ${name}) and not exists (
              select from workspace_owners where workspace = ${name} and account_id <> all(${accountIds}::text[])
                and released_at > now() - interval '1 hour') as free`,
        )
      ).free,

    counts: (name) => countAll(pool, name),

    unready: (before) =>
      rows(
        pool,
        Row,
        sql`select ${columns} from workspaces
          where status = any(${unreadyStatuses}::text[]) and created_at < ${before} limit 100`,
      ),
  }
}

const about = {
  workspace: sql`c.name`,
  workspaceId: sql`c.id`,
  kind: sql`'workspace'`,
  name: sql`c.name`,
  id: sql`c.id`,
}

const insert = (workspace: Workspace): Sql => sql`
  insert into workspaces (id, name, display_name, account_id, region, labels, group_mappings, runtime,
    status, created_at, updated_at, created_by, updated_by)
  values (${workspace.id}, ${workspace.name}, ${workspace.displayName}, ${workspace.accountId}, ${workspace.region},
    ${asJson(workspace.labels)}, ${asJson(workspace.groupMappings)}, ${asJson(workspace.runtime)},
    ${workspace.status}, ${workspace.createdAt}, ${workspace.createdAt}, ${workspace.createdBy}, ${workspace.createdBy})
  on conflict (name) do nothing returning *`

const asJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Removing a full workspace exceeds the default statement timeout. */
function removeWhole(pool: pg.Pool, name: string, by: Actor): Promise<Workspace | undefined> {
  const change = sql`delete from workspaces where name = ${name} returning *`
  const statement = sql`
    ${withAudit(change, about, auditEntry(by, 'workspace.deleted'))} select ${columns} from changed`
  const patient = (client: pg.PoolClient): Queryable => ({
    query: (config) => client.query({ ...config, query_timeout: 600_000 } as pg.QueryConfig),
  })
  return inTransaction(
    pool,
    (client) => row(patient(client), Row, statement),
    `begin; set local statement_timeout = '10min'`,
  )
}

const singular = (counted: string) => counted.replace(/xes$/, 'x').replace(/ies$/, 'y').replace(/s$/, '')

async function countAll(pool: pg.Pool, workspace: string): Promise<ResourceCounts> {
  const counts = await rows(
    pool,
    KindCount,
    sql`select kind, sum(count)::bigint as count from resource_counts where workspace = ${workspace} group by kind
      union all select 'serviceaccount', count(*) from service_accounts where workspace = ${workspace}
      union all select 'image', count(distinct spec #>> '{runtime,image}') from resources where workspace = ${workspace}`,
  )
  const byKind = new Map(counts.map(({ kind, count }) => [kind, count]))
  return Object.fromEntries(countedResources.map((word) => [word, byKind.get(singular(word)) ?? 0])) as ResourceCounts
}
