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
  /**
   * The column that counts who claimed a row since a worker last wrote what became of it. One that was claimed and not
   * heard of since may have ended its worker: it comes alone.
   */
  claims?: string
  limit: number
}

/**
 * Selects rows whose time has come, the longest due first, and locks them: workers that look at the same moment pass
 * each other by. To be used inside the statement that takes them, which moves `due` on.
 */
export function claimDue({ table, key, due, and = sql`true`, claims, limit }: DueRows): Sql {
  const [id, time] = [sql.identifier(key), sql.identifier(due)]
  const suspect = claims === undefined ? sql`false` : sql`${sql.identifier(claims)} > 0`
  return sql`
    with free as materialized (
      select ${id}, ${time}, ${suspect} as suspect from ${sql.identifier(table)} where ${time} <= now() and ${and}
      order by ${time} limit ${limit} for update skip locked
    ), ${oneSuspectOrOthers(id, time)}
    select ${id} from chosen`
}

/** Of `free`, the first in `order` decides: a suspect comes alone, and stays out of the company of others. */
export const oneSuspectOrOthers = (id: Sql, order: Sql): Sql => sql`
  turns as (
    select ${id}, suspect, row_number() over turn as position, first_value(suspect) over turn as alone
    from free window turn as (order by ${order})
  ), chosen as (
    select ${id} from turns where case when alone then position = 1 else not suspect end
  )`
