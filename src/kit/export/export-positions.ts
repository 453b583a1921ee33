import type pg from 'pg'
import { z } from 'zod'
import { backoffInterval } from '../database/queue.ts'
import { execute, maybe, type Queryable, row, rows, type Sql, sql } from '../database/sql.ts'
import type { ExportPositions } from './export-batch.ts'

/** Longer than one send may take. */
const leaseSeconds = 60

const retries = { firstSeconds: 5, maxSeconds: 5 * 60 }

const inSeconds = (seconds: number): Sql => sql`now() + make_interval(secs => ${seconds})`

export function exportPositions(pool: pg.Pool, tableName: string): ExportPositions {
  const table = sql.identifier(tableName)
  return {
    claim: (destination) =>
      row(
        pool,
        ClaimRow,
        sql`
          insert into ${table} as position (destination, due_at) values (${destination}, ${inSeconds(leaseSeconds)})
          on conflict (destination) do update set due_at = ${inSeconds(leaseSeconds)}, fence = position.fence + 1
            where position.due_at <= now()
          returning destination, fence, exported`,
      ),
    async renew({ destination, fence }) {
      const renewed = sql`
        update ${table} set due_at = ${inSeconds(leaseSeconds)} where destination = ${destination} and fence = ${fence}`
      return (await execute(pool, renewed)) > 0
    },
    async exported({ destination, fence }, through, delaySeconds) {
      await execute(
        pool,
        sql`
          update ${table} set exported = ${through}, due_at = ${inSeconds(delaySeconds)}, failures = 0, problem = null
          where destination = ${destination} and fence = ${fence}`,
      )
    },
    async failed({ destination, fence }, problem, minDelaySeconds) {
      const backoff = backoffInterval(sql`failures`, retries)
      const delay = sql`greatest(${backoff}, make_interval(secs => ${minDelaySeconds}))`
      const found = await row(
        pool,
        DelayRow,
        sql`
          update ${table} set due_at = now() + ${delay}, failures = failures + 1, problem = ${problem.slice(0, 500)}
          where destination = ${destination} and fence = ${fence}
          returning extract(epoch from due_at - now())::float8 as "delaySeconds"`,
      )
      return found ?? { delaySeconds: 0 }
    },
  }
}

const ClaimRow = z.object({ destination: z.string(), fence: z.number(), exported: z.number() })
const DelayRow = z.object({ delaySeconds: z.number() })

export type ExportState = { destination: string; failures: number; problem: string | undefined; lagSeconds: number }

type Exports = {
  table: string
  destinations: readonly string[]
  /** Selects the time of the first record behind `position.exported`. */
  oldestMissing: Sql
}

/** How far each destination is behind. One that was removed from the settings is not among them. */
export async function exportStates(
  db: Queryable,
  { table, destinations, oldestMissing }: Exports,
): Promise<ExportState[]> {
  if (destinations.length === 0) return []
  return rows(
    db,
    StateRow,
    sql`
      select destination, failures, problem, coalesce(extract(epoch from now() - (${oldestMissing})), 0)::float8 as "lagSeconds"
      from (
        select wanted.destination, coalesce(exported, 0) as exported, coalesce(failures, 0) as failures, problem
        from unnest(${[...destinations]}::text[]) as wanted (destination)
        left join ${sql.identifier(table)} using (destination)
      ) as position`,
  )
}

const StateRow = z.object({
  destination: z.string(),
  failures: z.number(),
  problem: maybe(z.string()),
  lagSeconds: z.number(),
})
