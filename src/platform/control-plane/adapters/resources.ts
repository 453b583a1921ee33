import type pg from 'pg'
import { z } from 'zod'
import { preparedStatements, Statement } from '../../../kit/database/prepared.ts'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { AddressTaken, type Resources } from '../domain/ports.ts'
import { type Resource, type ResourceKey, searchText } from '../domain/resource.ts'
import { postgresResourcePages } from './resource-pages.ts'
import { columns, toResource } from './resource-rows.ts'

const byKey = 'workspace = $1 and kind = $2 and parent = $3 and name = $4'
const keyValues = ({ workspace, kind, parent, name }: ResourceKey) => [workspace, kind, parent, name]

const Total = z.object({ total: z.number() })
const Named = z.object({ kind: z.string(), name: z.string() })
const Attachment = Named.extend({ volume: z.string() })
const Key = Named.extend({ workspace: z.string(), parent: z.string() })

export function postgresResources(pool: pg.Pool): Resources {
  const run = preparedStatements(pool)
  const find = async (runner: pg.Pool | pg.PoolClient, key: ResourceKey, lock: '' | ' for update') => {
    const text = `select ${columns} from resources where ${byKey}${lock}`
    const { rows } = await runner.query({ name: `resource${lock}`, text, values: keyValues(key) })
    return rows[0] && toResource(rows[0])
  }
  return {
    async add(resource, by): Promise<void> {
      const values = [...insertValues(resource), auditEntry(by, `${resource.kind}.created`)]
      const [added] = await run(insert, values).catch(throwConstraintFailure)
      if (!added) throw new Failure('name_taken', 'This name is taken.')
    },

    find: (key: ResourceKey): Promise<Resource | undefined> => find(pool, key, ''),

    // The lock on the row keeps a concurrent update from being lost.
    change: (key, decide, by) =>
      inTransaction(pool, async (client) => {
        const current = await find(client, key, ' for update')
        if (!current) return undefined
        const next = await decide(current)
        const statement = by
          ? {
              name: 'update-resource',
              text: notedUpdate,
              values: [...updateValues(next), auditEntry(by, `${key.kind}.updated`)],
            }
          : { name: 'change-resource', text: update, values: updateValues(next) }
        await client.query(statement).catch(throwConstraintFailure)
        return next
      }),

    async remove(key, by) {
      const values = [...keyValues(key), auditEntry(by, `${key.kind}.deleted`)]
      const { rows } = await pool.query({ name: 'remove-resource', text: remove, values }).catch(throwConstraintFailure)
      return rows[0] && toResource(rows[0])
    },

    page: postgresResourcePages(pool),

    async count(workspace: string, kind: string): Promise<number> {
      const text =
        'select coalesce(sum(count), 0)::bigint as total from resource_counts where workspace = $1 and kind = $2'
      const { rows } = await pool.query({ name: 'count-resources', text, values: [workspace, kind] })
      return stored(Total, rows[0]).total
    },

    async referencesTo(workspace, kinds, reference) {
      const { rows } = await pool.query(
        `select kind, name from resources
         where workspace = $1 and kind = any($2) and spec @> $3 order by kind, name limit 5`,
        [workspace, kinds, JSON.stringify(reference)],
      )
      return stored(z.array(Named), rows).map((row) => `${row.kind} ${row.name}`)
    },

    async hasChildren(workspace, kind, parent) {
      const { rowCount } = await pool.query(
        'select 1 from resources where workspace = $1 and kind = $2 and parent = $3 limit 1',
        [workspace, kind, parent],
      )
      return rowCount === 1
    },

    async attachments(workspace, volumes) {
      const { rows } = await pool.query(
        `select volume, kind, name from volume_attachments attached join resources on id = holder
         where attached.workspace = $1 and volume = any($2)`,
        [workspace, volumes],
      )
      return new Map(stored(z.array(Attachment), rows).map((row) => [row.volume, `${row.kind}:${row.name}`]))
    },

    async stranded(before) {
      const { rows } = await pool.query(
        `select workspace, kind, parent, name from resources
         where status in ('DEPLOYING', 'DEACTIVATING') and updated_at < $1 limit 100`,
        [before],
      )
      return stored(z.array(Key), rows)
    },
  }
}

const about = { workspace: 'c.workspace', kind: 'c.kind', name: 'c.name', id: 'c.id' }

const add = `insert into resources (id, workspace, kind, parent, name, display_name, labels, spec, state, sealed,
    status, events, search, version, created_at, updated_at, created_by, updated_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
  on conflict (workspace, kind, parent, name) do nothing returning *`

const insert = new Statement(`${withAudit(add, about, '$19')} select id from changed`)

const insertValues = (resource: Resource) => [
  resource.id,
  ...keyValues(resource),
  resource.displayName,
  JSON.stringify(resource.labels),
  JSON.stringify(resource.spec),
  JSON.stringify(resource.state),
  resource.sealed,
  resource.status,
  JSON.stringify(resource.events),
  searchText(resource),
  resource.version,
  resource.createdAt.toISOString(),
  resource.updatedAt.toISOString(),
  resource.createdBy,
  resource.updatedBy,
]

const update = `update resources set display_name = $2, labels = $3, spec = $4, state = $5, sealed = $6, status = $7,
  events = $8, search = $9, version = $10, updated_at = $11, updated_by = $12 where id = $1`

const notedUpdate = `${withAudit(`${update} returning *`, about, '$13')} select from changed`

const remove = `${withAudit(`delete from resources where ${byKey} returning *`, about, '$5')}
  select ${columns} from changed`

const updateValues = (resource: Resource) => [
  resource.id,
  resource.displayName,
  JSON.stringify(resource.labels),
  JSON.stringify(resource.spec),
  JSON.stringify(resource.state),
  resource.sealed,
  resource.status,
  JSON.stringify(resource.events),
  searchText(resource),
  resource.version,
  resource.updatedAt,
  resource.updatedBy,
]

function throwConstraintFailure(error: { code?: string; constraint?: string }): never {
  if (error.constraint === 'resources_by_address') throw new AddressTaken()
  // Somebody else attached it between the look at the sandboxes and this.
  if (error.constraint === 'volume_attached_once') throw new Failure('resource_in_use', 'A volume is attached already.')
  // The same, for what somebody came to need, or what is inside something that went meanwhile.
  if (error.constraint === 'resource_needed') throw new Failure('resource_in_use', 'It is in use.')
  if (error.constraint === 'resource_has_parent') throw new Failure('resource_unknown', 'What it belongs in is gone.')
  // The workspace was deleted between the check of its members and this insert.
  if (error.code === '23503') throw new Failure('workspace_closed', 'You may not enter this workspace.')
  throw error
}
