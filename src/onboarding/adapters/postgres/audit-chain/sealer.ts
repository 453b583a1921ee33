import type pg from 'pg'
import { z } from 'zod'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, one, type Sql, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import { writersOf } from '../../../../kit/database/writers.ts'
import { type ChainedRow, type ChainName, deploymentChain } from '../../../domain/audit/audit-chain.ts'
import type { AuditSealer } from '../../../domain/ports/audit-chain.ts'
import {
  blockOfRows,
  continuable,
  insertBlocks,
  type KnownEnds,
  lockSealing,
  signInTurns,
  tailsOf,
} from './chain-tail.ts'
import { chainedRows } from './rows.ts'

export function postgresSealer(pool: pg.Pool, keys: SigningKeys, known: KnownEnds): AuditSealer {
  return {
    async writesUnderWay() {
      const { until, horizon } = await one(pool, Written, written)
      if (until <= horizon) return { until, isSealed: true, writers: [] }
      // Read after the sequence: a transaction with an ID up to `until` holds this lock already, or has ended.
      return { until, isSealed: false, writers: await writersOf(pool, 'audit') }
    },
    stillWriting: (writers) => writersOf(pool, 'audit', writers),
    sealNext: (until, count) =>
      inTransaction(pool, async (transaction) => {
        const lock = await lockSealing(transaction, { wait: false })
        if (!lock || lock.horizon >= until) return undefined
        const { horizon } = await one(transaction, Horizon, horizonAfter(lock.horizon, { until, count }))
        const found = await chainedRows(transaction, sql`id > ${lock.horizon} and id <= ${horizon} order by id`)
        const chains = byChain(found)
        const tails = new Map((await tailsOf(transaction, [...chains.keys()])).map((tail) => [tail.chain, tail]))
        const blocks = await signInTurns([...chains], ([chain, sealed]) => {
          const { end, blocks: breaks } = continuable(keys, chain, tails.get(chain), known)
          return [...breaks, blockOfRows(keys, end, sealed)]
        })
        await insertBlocks(transaction, blocks)
        await execute(transaction, sql`update audit_sealing set horizon = ${horizon}`)
        for (const block of blocks) known.add(block)
        return found.length
      }),
  }
}

function byChain(found: readonly ChainedRow[]): Map<ChainName, ChainedRow[]> {
  const chains = new Map<ChainName, ChainedRow[]>()
  for (const each of found) {
    const chain = each.tenant ?? deploymentChain
    const others = chains.get(chain)
    if (others) others.push(each)
    else chains.set(chain, [each])
  }
  return chains
}

/**
 * A range of IDs, not a limit: of a long backlog the planner would sort all of it. Each month begins with a gap, and no
 * block has entries of two months, because they are dropped separately.
 */
const horizonAfter = (sealed: number, { until, count }: { until: number; count: number }): Sql => sql`
  select coalesce((
    select least(${until}, id + ${count - 1}, audit_month_start(audit_month_after(audit_month_of(id))) - 1)
    from audit where id > ${sealed} and id <= ${until} order by id limit 1
  ), ${until}::bigint) as horizon`

const Horizon = z.object({ horizon: z.number() })

/** The sequence, not the highest ID: a forged row with a high ID would hide the rows below it. */
const written = sql`
  select case when is_called then last_value else 0 end as until, (select horizon from audit_sealing) as horizon
  from audit_id_seq`

const Written = z.object({ until: z.number(), horizon: z.number() })
