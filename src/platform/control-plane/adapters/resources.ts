import type pg from 'pg'
import { z } from 'zod'
import { preparedStatements } from '../../../kit/database/prepared.ts'
import { execute, one, prepared, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { statusesInMotion } from '../domain/deployment.ts'
import { AddressTaken, type Resources } from '../domain/ports.ts'
import { type Resource, type ResourceKey, searchText } from '../domain/resource.ts'
import { columns, postgresResourcePages, ResourceRow } from './resource-pages.ts'

const isAt = ({ workspace, kind, parent, name }: ResourceKey): Sql =>
  sql`workspace = ${workspace} and kind = ${kind} and parent = ${parent} and name = ${name}`

const Id = z.object({ id: z.string() })
const Total = z.object({ total: z.number() })
const Named = z.object({ kind: z.string(), name: z.string() })
const Attachment = Named.extend({ volume: z.string() })
const Connection = z.object({ workspace: z.string(), name: z.string() })
const SandboxImage = z.object({
  id: z.string(),
  image: z.string(),
  memoryMb: z.number(),
  status: z.string(),
  mounts: z.array(
    z.object({
      volume: z.string(),
      at: z.string(),
      readOnly: z.boolean(),
      sizeMb: z
        .number()
        .nullish()
        .transform((size) => size ?? undefined),
    }),
  ),
})
const Key = Named.extend({ workspace: z.string(), parent: z.string() })

// A literal, so that the partial index resources_in_motion matches.
const inMotion = sql`status in (${sql.join(statusesInMotion.map(sql.literal))})`

export function postgresResources(pool: pg.Pool): Resources {
  const run = preparedStatements(pool)
  const find = (connection: Queryable, key: ResourceKey, lock = sql``): Promise<Resource | undefined> =>
    row(connection, ResourceRow, prepared(sql`select ${columns} from resources where ${isAt(key)} ${lock}`))
  return {
    async add(resource, by): Promise<void> {
      const entry = auditEntry(by, `${resource.kind}.created`)
      const statement = sql`${withAudit(insert(resource), about, entry)} select id from changed`
      const added = await row(run, Id, statement).catch(throwConstraintFailure)
      if (!added) throw new Failure('name_taken', 'This name is taken.')
    },

    find: (key) => find(pool, key),

    // Locks the row, so that concurrent updates are not lost.
    change: (key, decide, by) =>
      inTransaction(pool, async (client) => {
        const current = await find(client, key, sql`for update`)
        if (!current) return undefined
        const next = await decide(current)
        const entry = by && auditEntry(by, `${key.kind}.updated`)
        const statement = entry
          ? sql`${withAudit(sql`${update(next)} returning *`, about, entry)} select from changed`
          : update(next)
        await execute(client, prepared(statement)).catch(throwConstraintFailure)
        return next
      }),

    remove: (key, by) => removed(pool, key, by),

    expired: () =>
      rows(
        pool,
        Key,
        sql`select workspace, kind, parent, name from expiring_resources e join resources using (id)
          where ${isDue} order by due_at limit 100`,
      ),

    removeExpired: (key, by) =>
      removed(pool, key, by, sql`and id in (select id from expiring_resources e where ${isDue})`),

    page: postgresResourcePages(pool),

    async count(workspace, kind) {
      const statement = sql`
        select coalesce(sum(count), 0)::bigint as total from resource_counts
        where workspace = ${workspace} and kind = ${kind}`
      return (await one(pool, Total, prepared(statement))).total
    },

    async referencesTo(workspace, kinds, reference) {
      const found = await rows(
        pool,
        Named,
        sql`select kind, name from resources
          where workspace = ${workspace} and kind = any(${kinds}::text[]) and spec @> ${JSON.stringify(reference)}
          order by kind, name limit 5`,
      )
      return found.map(({ kind, name }) => `${kind} ${name}`)
    },

    async hasChildren(workspace, kind, parent) {
      const found = await execute(
        pool,
        sql`select from resources where workspace = ${workspace} and kind = ${kind} and parent = ${parent} limit 1`,
      )
      return found === 1
    },

    async attachments(workspace, volumes) {
      const found = await rows(
        pool,
        Attachment,
        sql`select volume, kind, name from volume_attachments attached join resources on id = holder
          where attached.workspace = ${workspace} and volume = any(${volumes}::text[])`,
      )
      return new Map(found.map(({ volume, kind, name }) => [volume, `${kind}:${name}`]))
    },

    stranded: (before) =>
      rows(
        pool,
        Key,
        sql`select workspace, kind, parent, name from resources
          where ${inMotion} and updated_at < ${before} limit 100`,
      ),
  }
}

/** A sandbox with a running process is not idle. */
const isDue = sql`(e.due_at < now() or (greatest(e.used_at, (select used_at from sandbox_uses u where u.id = e.id)) + e.idle < now() and not exists (
  select from sandbox_processes p where p.sandbox = e.id and p.state = 'running' and p.lease_until > now())))`

function removed(pool: pg.Pool, key: ResourceKey, by: Actor, condition = sql``): Promise<Resource | undefined> {
  const change = sql`delete from resources where ${isAt(key)} ${condition} returning *`
  const entry = auditEntry(by, `${key.kind}.deleted`)
  const statement = prepared(sql`${withAudit(change, about, entry)} select ${columns} from changed`)
  return row(pool, ResourceRow, statement).catch(throwConstraintFailure)
}

const about = { workspace: sql`c.workspace`, kind: sql`c.kind`, name: sql`c.name`, id: sql`c.id` }

const insert = (resource: Resource): Sql => sql`
  insert into resources (id, workspace, kind, parent, name, display_name, labels, spec, state, sealed,
    status, events, search, version, created_at, updated_at, created_by, updated_by)
  values (${resource.id}, ${resource.workspace}, ${resource.kind}, ${resource.parent}, ${resource.name},
    ${resource.displayName}, ${JSON.stringify(resource.labels)}, ${JSON.stringify(resource.spec)},
    ${JSON.stringify(resource.state)}, ${resource.sealed}, ${resource.status}, ${JSON.stringify(resource.events)},
    ${searchText(resource)}, ${resource.version}, ${resource.createdAt}, ${resource.updatedAt},
    ${resource.createdBy}, ${resource.updatedBy})
  on conflict (workspace, kind, parent, name) do nothing returning *`

const update = (resource: Resource): Sql => sql`
  update resources set display_name = ${resource.displayName}, labels = ${JSON.stringify(resource.labels)},
    spec = ${JSON.stringify(resource.spec)}, state = ${JSON.stringify(resource.state)}, sealed = ${resource.sealed},
    status = ${resource.status}, events = ${JSON.stringify(resource.events)}, search = ${searchText(resource)},
    version = ${resource.version}, updated_at = ${resource.updatedAt}, updated_by = ${resource.updatedBy}
  where id = ${resource.id}`

function throwConstraintFailure(error: { code?: string; constraint?: string }): never {
  if (error.constraint === 'resources_by_address') throw new AddressTaken()
  if (error.constraint === 'preview_label_once' || error.constraint === 'preview_host_once')
    throw new Failure('name_taken', 'Another preview has this host: choose another spec.prefixUrl.')
  // A concurrent request attached the volume, added a reference or deleted the parent.
  if (error.constraint === 'volume_attached_once') throw new Failure('resource_in_use', 'A volume is already attached.')
  if (error.constraint === 'resource_needed') throw new Failure('resource_in_use', 'It is in use.')
  if (error.constraint === 'resource_has_parent') throw new Failure('resource_unknown', 'Its parent was deleted.')
  // The workspace was deleted after the membership check.
  if (error.code === '23503') throw new Failure('workspace_closed', 'You have no access to this workspace.')
  throw error
}

export const postgresConnectionsTo =
  (pool: pg.Pool) =>
  (integrations: readonly string[]): Promise<Array<z.output<typeof Connection>>> =>
    rows(
      pool,
      Connection,
      sql`select workspace, name from resources
        where kind = 'integrationconnection' and spec ->> 'integration' = any(${[...integrations]}::text[])`,
    )

/** In all workspaces. Must match the predicate of index `resources_with_cron`. */
export const postgresScheduledWorkloads =
  (pool: pg.Pool) =>
  (kind: 'agent' | 'job'): Promise<Resource[]> =>
    rows(
      pool,
      ResourceRow,
      sql`select ${columns} from resources
        where kind = ${sql.literal(kind)} and spec @> '{"triggers": [{"type": "cron", "enabled": true}]}'
          and status = 'DEPLOYED'`,
    )

export const postgresPreviewById =
  (pool: pg.Pool) =>
  (kind: 'preview' | 'previewtoken', id: string): Promise<Resource | undefined> =>
    row(pool, ResourceRow, prepared(sql`select ${columns} from resources where id = ${id} and kind = ${kind}`))

/** In all workspaces, or one by its ID. Omits mounts of deleted storage. */
export const postgresSandboxesWithImages =
  (pool: pg.Pool) =>
  (id?: string): Promise<Array<z.output<typeof SandboxImage>>> =>
    rows(
      pool,
      SandboxImage,
      sql`select s.id, s.spec #>> '{runtime,image}' as image, (s.spec #>> '{runtime,memory}')::int as "memoryMb",
            coalesce(s.status, '') as status,
            (select coalesce(jsonb_agg(jsonb_build_object(
                'volume', r.id, 'at', rtrim(regexp_replace('/' || (m ->> 'mountPath'), '/+', '/', 'g'), '/'),
                'readOnly', coalesce((m ->> 'readOnly')::boolean, false),
                'sizeMb', (r.spec ->> 'size')::int * case r.kind when 'drive' then 1024 else 1 end) order by m ->> 'mountPath'), '[]')
              from (select 'volume' as kind, jsonb_array_elements(s.spec -> 'volumes') as m
                union all select 'drive', jsonb_array_elements(s.spec -> 'drives')) mounted
              join resources r on r.workspace = s.workspace and r.kind = mounted.kind and r.parent = ''
                and r.name = m ->> 'name') as mounts
          from resources s
          where s.kind = 'sandbox' and s.spec #>> '{runtime,image}' <> ''
            and ${id === undefined ? sql`true` : sql`s.id = ${id}`}`,
    )

export const postgresRemovedStorage =
  (pool: pg.Pool) =>
  async (ids: readonly string[]): Promise<string[]> => {
    const removed = sql`select id from unnest(${[...ids]}::text[]) listed (id)
      where not exists (select from resources where resources.id = listed.id)`
    return (await rows(pool, Id, removed)).map(({ id }) => id)
  }
