// Rows as queues: the pieces that every queue in a table shares.
import type { BackoffLimits } from '../process/backoff.ts'
import { type Sql, sql } from './sql.ts'

/**
 * The wait of `backoffSeconds` as an interval in SQL. `tries` is an expression; beyond 60 tries the longest holds
 * anyway.
 */
export function backoffInterval(tries: Sql, { firstSeconds, longestSeconds }: BackoffLimits): Sql {
  const [first, longest] = [sql.literal(firstSeconds), sql.literal(longestSeconds)]
  return sql`least(${first} * power(2, least(${tries}, 60)), ${longest}) * interval '1 second'`
}

export type DueRows = {
  table: string
  key: string
  /** The column that says when somebody should look; an index of it must fit the condition. */
  due: string
  /** A further condition. */
  and?: Sql
  limit: number
}

/**
 * Selects rows whose time has come, the longest due first, and locks them: workers that look at the same moment pass
 * each other by. To be used inside the statement that takes them, which moves `due` on.
 */
export function claimDue({ table, key, due, and = sql`true`, limit }: DueRows): Sql {
  const time = sql.identifier(due)
  return sql`
    select ${sql.identifier(key)} from ${sql.identifier(table)} where ${time} <= now() and ${and}
    order by ${time} limit ${limit} for update skip locked`
}
