import { z } from 'zod'
import { type Queryable, rows, sql } from './sql.ts'

/**
 * The transactions that may have written rows to the table which others do not see yet. A statement takes this lock
 * before it takes an ID, and keeps it until its transaction ends. `among`: which of these are left.
 */
export async function writersOf(db: Queryable, table: string, among?: readonly string[]): Promise<string[]> {
  const wanted = among ? sql`and virtualtransaction = any(${[...among]}::text[])` : sql``
  const writers = sql`
    select virtualtransaction as id from pg_locks
    where relation = ${table}::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database()) ${wanted}`
  return (await rows(db, Writer, writers)).map(({ id }) => id)
}

const Writer = z.object({ id: z.string() })
