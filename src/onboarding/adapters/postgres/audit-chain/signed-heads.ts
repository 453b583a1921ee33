// The newest head of each chain must be signed by a key that stays. Older blocks are covered by their hashes.
import type pg from 'pg'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, one, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import type { SealedRows } from '../../../../kit/process/rotate-encryption.ts'
import { type ChainName, headText } from '../../../domain/audit/audit-chain.ts'
import { Count } from '../schema.ts'
import { appendSpecials, lockSealing, tailOf } from './chain-tail.ts'
import { allSealedChains, sealedChains } from './chains.ts'

const column = 'audit_blocks.signature'
const atOnce = 100

/** Signs the heads again when encryption keys rotate. */
export function withSignedHeads(sealedRows: SealedRows, pool: pg.Pool, keys: SigningKeys): SealedRows {
  const signAgain = (chain: ChainName) =>
    inTransaction(pool, async (transaction) => {
      await lockSealing(transaction, { wait: true })
      const tail = await tailOf(transaction, chain)
      if (!tail || tail.kid === keys.kid) return 0
      const isSigned = keys.isValid(tail.kid, headText(tail), tail.signature)
      if (isSigned === undefined) return 0 // its key is not loaded
      if (!isSigned) await appendSpecials(transaction, keys, new Map([[chain, undefined]]))
      else {
        const signature = keys.sign(headText({ ...tail, kid: keys.kid }))
        await execute(
          transaction,
          sql`update audit_blocks set kid = ${keys.kid}, signature = ${signature}
            where chain = ${chain} and last = ${tail.last}`,
        )
      }
      return 1
    })

  return {
    ...sealedRows,
    columns: [...sealedRows.columns, column],
    async rewrapSome(name, after) {
      if (name !== column) return sealedRows.rewrapSome(name, after)
      const chains = await sealedChains(pool, { after: after?.[0], limit: atOnce })
      let rewrapped = 0
      for (const chain of chains) rewrapped += await signAgain(chain)
      const last = chains.at(-1)
      return { rewrapped, next: chains.length === atOnce && last !== undefined ? [last] : undefined }
    },
    async countOthers(name) {
      if (name !== column) return sealedRows.countOthers(name)
      const others = sql`
        ${allSealedChains}
        select count(*) as count from chains cross join lateral (
          select kid from audit_blocks where audit_blocks.chain = chains.chain order by last desc limit 1
        ) as tail where kid <> ${keys.kid}`
      return (await one(pool, Count, others)).count
    },
  }
}
