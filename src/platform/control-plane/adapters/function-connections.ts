import type pg from 'pg'
import { z } from 'zod'
import { prepared, rows, sql } from '../../../kit/database/sql.ts'
import type { Document, Resource } from '../domain/resource.ts'

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

const Row = z.object({
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

/** What a request to a function needs of a resource: events and the rest stay in the database. */
export type ServedResource = Pick<Resource, keyof z.output<typeof Row>>

/** `connections`: those that exist, in the order in which the function names them. */
export type FunctionWithConnections = { found: ServedResource; connections: ServedResource[] }

const columns = sql.columns(Row, 'r')

/** One statement, because every request to a function waits for it. */
export const postgresFunctionConnections =
  (pool: pg.Pool) =>
  async (workspace: string, name: string): Promise<FunctionWithConnections | undefined> => {
    const read = await rows(
      pool,
      Row,
      prepared(sql`
        with f as (
          select * from resources where workspace = ${workspace} and kind = 'function' and parent = '' and name = ${name}
        )
        select ${columns} from f r
        union all
        select ${columns} from f
          cross join jsonb_array_elements_text(coalesce(f.spec -> 'integrationConnections', '[]')) named (name)
          join resources r on r.workspace = f.workspace and r.kind = 'integrationconnection' and r.parent = ''
            and r.name = named.name`),
    )
    const found = read.find(({ kind }) => kind === 'function')
    if (!found) return undefined
    const names = (found.spec.integrationConnections ?? []) as string[]
    const byName = new Map(read.filter((row) => row !== found).map((row) => [row.name, row]))
    return { found, connections: names.flatMap((each) => byName.get(each) ?? []) }
  }
