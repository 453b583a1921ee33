import type pg from 'pg'
import { z } from 'zod'
import { row, sql } from '../../../kit/database/sql.ts'
import type { EgressAddresses } from '../domain/ports.ts'

const Row = z.object({ address: z.string() })

/** Allocations are read from the resources, so deleting one frees its address. */
export function postgresEgressAddresses(
  pool: pg.Pool,
  /** `base` is the network address; the `size` addresses after it can be assigned. */
  ranges: Record<'IPv4' | 'IPv6', { base: string; size: number }>,
): EgressAddresses {
  return {
    async nextFree(family, among) {
      const { base, size } = ranges[family]
      // Only as many addresses are checked as are taken, plus `among`.
      const free = await row(
        pool,
        Row,
        sql`select address from (
            select host(${base}::inet + n) as address from generate_series(1,
              least(${size}::bigint, (select count(*) from resources where kind = 'egressip') + ${among}::bigint)) n
            where not exists (
              select from resources where kind = 'egressip' and spec ->> 'publicIp' = host(${base}::inet + n))
            order by n limit ${among}) free
          order by random() limit 1`,
      )
      return free?.address
    },
  }
}
