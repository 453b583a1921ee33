// Rows as queues: the pieces that every queue in a table shares.

export type BackoffLimits = { firstSeconds: number; longestSeconds: number }

/**
 * How long to wait after that many failed tries, as an interval in SQL: twice as long each time, up to the longest.
 * `tries` is an expression; beyond 60 tries the longest holds anyway.
 */
export const backoffInterval = (tries: string, { firstSeconds, longestSeconds }: BackoffLimits): string =>
  `least(${firstSeconds} * power(2, least(${tries}, 60)), ${longestSeconds}) * interval '1 second'`

export type DueRows = {
  table: string
  key: string
  /** The column that says when somebody should look; an index of it must fit the condition. */
  due: string
  /** A further condition. */
  and?: string
  /** A number, or the parameter that has it. */
  limit: number | string
}

/**
 * Selects rows whose time has come, the longest due first, and locks them: workers that look at the same moment pass
 * each other by. To be used inside the statement that takes them, which moves `due` on.
 */
export const claimDue = ({ table, key, due, and, limit }: DueRows): string =>
  `select ${key} from ${table} where ${due} <= now()${and ? ` and ${and}` : ''}
    order by ${due} limit ${limit} for update skip locked`
