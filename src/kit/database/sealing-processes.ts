// Which key every connected process seals by, as the database itself knows it: processes say so in the name of their
// connections, which end with the process, however it ends.
import { z } from 'zod'
import { type Queryable, rows, type Sql, sql } from './sql.ts'

const prefixOf = (program: string) => `${program} sealing by `

/** The name of the connections of a process that seals by this key. PostgreSQL takes 63 characters; ids have 32 at most. */
export const sealingName = (program: string, keyId: string): string => prefixOf(program) + keyId

/** Connections of processes that seal by another key. */
const othersThan = (program: string, keyId: string): Sql => sql`
  select distinct application_name as name from pg_stat_activity
  where datname = current_database() and starts_with(application_name, ${prefixOf(program)})
    and application_name <> ${sealingName(program, keyId)}`

export const isSealedByOthers = (program: string, keyId: string): Sql => sql`exists (${othersThan(program, keyId)})`

/** The keys that other processes seal by, each as its id. */
export async function otherSealingKeys(db: Queryable, program: string, keyId: string): Promise<string[]> {
  const found = await rows(db, z.object({ name: z.string() }), sql`${othersThan(program, keyId)} order by 1`)
  return found.map(({ name }) => name.slice(prefixOf(program).length))
}
