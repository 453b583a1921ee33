import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { z } from 'zod'
import { preparedStatements } from '../../../kit/database/prepared.ts'
import { rows, sql } from '../../../kit/database/sql.ts'
import type { Document, Resource } from '../domain/resource.ts'

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

/** What a request to a function needs of a resource: events and the rest stay in the database. */
const Served = z.object({
  id: z.string(),
  workspace: z.string(),
  kind: z.string(),
  name: z.string(),
  displayName: z.string(),
  spec: JsonDocument,
  sealed: z.string().nullable(),
  status: z.string().nullable(),
  version: z.number(),
})

export type ServedResource = Pick<Resource, keyof z.output<typeof Served>>

/** `resource` is null where the database was told this revision: nothing has been written to it since. */
const Row = z.object({ revision: z.string(), resource: Served.nullable() })

/** `connections`: those that exist, in the order in which the function names them. */
export type FunctionWithConnections = { found: ServedResource; connections: ServedResource[] }

type LastRead = { revisions: string; byRevision: ReadonlyMap<string, ServedResource>; whole: FunctionWithConnections }

/** Of what was read, in characters as JSON. */
const mostRemembered = 32 * 1024 * 1024
/** What was made of it lives as long, which may be many times as much: opened secrets, and the tools of a vendor. */
const idleMs = 60_000

/**
 * One statement, because every request to a function waits for it, and nothing is answered without it. What has not
 * changed since the last time is not sent once more, and is the same object: whatever was made of it still holds.
 */
export const postgresFunctionConnections = (pool: pg.Pool) => {
  const db = preparedStatements(pool)
  const lastReads = new LRUCache<string, LastRead>({
    maxSize: mostRemembered,
    ttl: idleMs,
    ttlResolution: 0,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    sizeCalculation: ({ whole }) => JSON.stringify(whole).length,
  })
  return async (workspace: string, name: string): Promise<FunctionWithConnections | undefined> => {
    const key = JSON.stringify([workspace, name])
    const last = lastReads.get(key)
    const read = await rows(db, Row, statement(workspace, name, last?.revisions ?? ''))
    const revisions = read.map(({ revision }) => revision).join(' ')
    if (last?.revisions === revisions) return last.whole
    const byRevision = new Map(
      read.flatMap(({ revision, resource }) => {
        const known = resource ?? last?.byRevision.get(revision)
        return known ? [[revision, known] as const] : []
      }),
    )
    const whole = inOrder([...byRevision.values()])
    if (whole) lastReads.set(key, { revisions, byRevision, whole })
    else lastReads.delete(key)
    return whole
  }
}

/**
 * Every write to a row makes another version of it, which its transaction and its place name (PostgreSQL
 * documentation, System Columns: xmin and ctid, which is no identifier by itself). The row is named as well:
 * a database that is compacted moves rows to the places of others.
 */
const columns = sql`r.id || ':' || r.xmin::text || r.ctid::text as revision,
  r.id, r.workspace, r.kind, r.name, r.display_name, r.spec, r.sealed, r.status, r.version`

/** It begins with its `select`: one that travelled with another that failed is then asked again. */
const statement = (workspace: string, name: string, known: string) =>
  sql`
    select revision, case when revision = any(string_to_array(${known}, ' ')) then null else
      jsonb_build_object('id', id, 'workspace', workspace, 'kind', kind, 'name', name, 'displayName', display_name,
        'spec', spec, 'sealed', sealed, 'status', status, 'version', version) end as resource
    from (
      with f as (
        select ${columns} from resources r
        where workspace = ${workspace} and kind = 'function' and parent = '' and name = ${name}
      )
      select * from f
      union all
      select ${columns} from f
        cross join jsonb_array_elements_text(coalesce(f.spec -> 'integrationConnections', '[]')) named (name)
        join resources r on r.workspace = f.workspace and r.kind = 'integrationconnection' and r.parent = ''
          and r.name = named.name
    ) needed`

function inOrder(read: readonly ServedResource[]): FunctionWithConnections | undefined {
  const found = read.find(({ kind }) => kind === 'function')
  if (!found) return undefined
  const names = (found.spec.integrationConnections ?? []) as string[]
  const byName = new Map(read.filter((each) => each !== found).map((each) => [each.name, each]))
  return { found, connections: names.flatMap((each) => byName.get(each) ?? []) }
}
