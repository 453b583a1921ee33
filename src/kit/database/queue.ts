import type { BackoffLimits } from '../process/backoff.ts'
import { type Sql, sql } from './sql.ts'

/** `backoffSeconds` as a SQL interval. `tries` is an expression, capped at 60 against overflow. */
export function backoffInterval(tries: Sql, { firstSeconds, maxSeconds }: BackoffLimits): Sql {
  const [first, max] = [sql.literal(firstSeconds), sql.literal(maxSeconds)]
  return sql`least(${first} * power(2, least(${tries}, 60)), ${max}) * interval '1 second'`
}

type DueRows = {
  table: string
  key: string
  /** A timestamp column. An index on it must match the condition. */
  due: string
  and?: Sql
  /**
   * Claims since the last recorded outcome. A claimed row may have crashed its worker, so it is claimed on its own.
   */
  claims?: string
  limit: number
}

/** Use it inside the statement that postpones `due`. Concurrent workers skip the locked rows. */
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

/** If the first row of `free` is a suspect, only that row is chosen; otherwise all rows that are not suspects. */
export const oneSuspectOrOthers = (id: Sql, order: Sql): Sql => sql`
  turns as (
    select ${id}, suspect, row_number() over turn as position, first_value(suspect) over turn as alone
    from free window turn as (order by ${order})
  ), chosen as (
    select ${id} from turns where case when alone then position = 1 else not suspect end
  )`
