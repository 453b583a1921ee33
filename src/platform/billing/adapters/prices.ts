import type pg from 'pg'
import { execute, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import type { Price } from '../domain/prices.ts'

/** The lock serializes processes that start together. It does not block readers. */
export async function setPrices(pool: pg.Pool, prices: readonly Price[]): Promise<void> {
  const rows = prices.map(({ dimension, usdPerUnit, effectiveFrom }) => ({
    dimension,
    usd_per_unit: usdPerUnit,
    effective_from: `${effectiveFrom}T00:00:00Z`,
  }))
  await inTransaction(pool, async (client) => {
    await execute(client, sql`lock table usage_prices in share row exclusive mode`)
    await execute(client, sql`delete from usage_prices`)
    await execute(
      client,
      sql`insert into usage_prices select * from json_populate_recordset(null::usage_prices, ${JSON.stringify(rows)})`,
    )
  })
}
