import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { z } from 'zod'
import { preparedStatements } from '../../../kit/database/prepared.ts'
import { rows, sql } from '../../../kit/database/sql.ts'
import type { FunctionWithConnections, ServedResource } from '../domain/ports.ts'
import type { Document } from '../domain/resource.ts'

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

const Served = z.object({
  id: z.string(),
  workspace: z.string(),
  kind: z.string(),
  name: z.string(),
  displayName: z.string(),
  spec: JsonDocument,
  state: JsonDocument,
  sealed: z.string().nullable(),
  status: z.string().nullable(),
  version: z.number(),
})

/** `resource` is null if the caller already has this revision. */
const Row = z.object({ revision: z.number(), resource: Served.nullable() })

type LastRead = { byRevision: ReadonlyMap<number, ServedResource>; whole: FunctionWithConnections }

/** Measured as JSON characters. */
const maxCachedChars = 32 * 1024 * 1024
/** Opened secrets and vendors' tools are cached by row object and live as long as the row. */
const idleMs = 60_000

/** Runs for every request. Unchanged rows stay the same objects, so values derived from them stay valid. */
export const postgresFunctionConnections = (pool: pg.Pool) => {
  const db = preparedStatements(pool)
  const lastReads = new LRUCache<string, LastRead>({
    maxSize: maxCachedChars,
    ttl: idleMs,
    ttlResolution: 0,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    sizeCalculation: ({ whole }) => JSON.stringify(whole).length,
  })
  return async (workspace: string, name: string): Promise<FunctionWithConnections | undefined> => {
    const key = JSON.stringify([workspace, name])
    const last = lastReads.get(key)
    const read = await rows(db, Row, statement(workspace, name, [...(last?.byRevision.keys() ?? [])]))
    const byRevision = new Map(
      read.flatMap(({ revision, resource }) => {
        const known = resource ?? last?.byRevision.get(revision)
        return known ? [[revision, known] as const] : []
      }),
    )
    if (last?.byRevision.size === byRevision.size && read.every(({ resource }) => resource === null)) return last.whole
    const whole = inOrder([...byRevision.values()])
    if (whole) lastReads.set(key, { byRevision, whole })
    else lastReads.delete(key)
    return whole
  }
}

const columns = sql`r.revision, r.id, r.workspace, r.kind, r.name, r.display_name, r.spec, r.state, r.sealed, r.status, r.version`

/** Must begin with `select`: a batch that fails retries only reads. */
const statement = (workspace: string, name: string, known: readonly number[]) =>
  sql`
    select revision, case when revision = any(${known}::bigint[]) then null else
      jsonb_build_object('id', id, 'workspace', workspace, 'kind', kind, 'name', name, 'displayName', display_name,
        'spec', spec, 'state', state, 'sealed', sealed, 'status', status, 'version', version) end as resource
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
