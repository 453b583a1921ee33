import type pg from 'pg'
import { z } from 'zod'
import { row, sql } from '../../../kit/database/sql.ts'
import type { EgressAddresses } from '../domain/ports.ts'

/** The network address of a range and how many of the addresses after it may be given out. */
export type AddressRange = { base: string; size: number }

export type AddressRanges = Record<'IPv4' | 'IPv6', AddressRange>

const Row = z.object({ address: z.string() })

/** What is given out is read off the resources themselves, so a deleted one frees its address with no further step. */
export function postgresEgressAddresses(pool: pg.Pool, ranges: AddressRanges): EgressAddresses {
  return {
    async nextFree(family, among) {
      const { base, size } = ranges[family]
      // Of as many addresses as are taken and a few more, a few are free: the rest of a range is never looked at.
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
