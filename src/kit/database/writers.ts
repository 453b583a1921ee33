import { z } from 'zod'
import { type Queryable, rows, sql } from './sql.ts'

/**
 * Transactions that may have written rows which others do not see yet. A statement takes this lock before it takes an
 * ID, and its transaction keeps the lock. `among`: only these transactions.
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
