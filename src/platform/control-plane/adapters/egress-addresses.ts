import type pg from 'pg'
import type { EgressAddresses } from '../domain/ports.ts'

/** The network address of a range and how many of the addresses after it may be given out. */
export type AddressRange = { base: string; size: number }

export type AddressRanges = Record<'IPv4' | 'IPv6', AddressRange>

/** What is given out is read off the resources themselves, so a deleted one frees its address with no further step. */
export function postgresEgressAddresses(pool: pg.Pool, ranges: AddressRanges): EgressAddresses {
  return {
    async nextFree(family) {
      const { base, size } = ranges[family]
      const { rows } = await pool.query(
        `select host($1::inet + n) as address from generate_series(1, $2::bigint) n
         where not exists (
           select from resources where kind = 'egressip' and spec ->> 'publicIp' = host($1::inet + n))
         order by n limit 1`,
        [base, size],
      )
      return rows[0]?.address
    },
  }
}
