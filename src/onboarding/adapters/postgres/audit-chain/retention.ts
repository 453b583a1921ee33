import type pg from 'pg'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, one, type Queryable, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import type { Block, ChainName } from '../../../domain/audit/audit-chain.ts'
import type { AuditRetention } from '../../../domain/ports/audit-chain.ts'
import { Count } from '../schema.ts'
import { appendSpecial, lockSealing } from './chain-tail.ts'
import { sealedChains } from './chains.ts'
import { blocksOf } from './rows.ts'

const atOnce = { blocks: 20, entries: 2_000 }

export const postgresRetention = (pool: pg.Pool, keys: SigningKeys): AuditRetention => ({
  async forgetOld(days) {
    let dropped = 0
    for (const chain of await sealedChains(pool)) {
      for (;;) {
        const count = await inTransaction(pool, (transaction) => dropOldest(transaction, keys, chain, days))
        if (count === 0) break
        dropped += count
      }
    }
    return dropped
  },
})

async function dropOldest(transaction: Queryable, keys: SigningKeys, chain: ChainName, days: number): Promise<number> {
  await lockSealing(transaction, { wait: true })
  const old = await oldBlocks(transaction, chain, days)
  const ids = old.flatMap((block) => block.ids)
  const through = old.at(-1)
  if (!through || ids.length === 0) return 0
  const dropped = { through: through.last, hash: through.hash.toString('base64url'), throughId: String(ids.at(-1)) }
  await appendSpecial(transaction, keys, chain, { kind: 'retention', ...dropped })
  await execute(transaction, sql`delete from audit where id = any(${ids}::bigint[])`)
  await execute(transaction, sql`delete from audit_erased where id = any(${ids}::bigint[])`)
  await execute(transaction, sql`delete from audit_blocks where chain = ${chain} and last <= ${through.last}`)
  return ids.length
}

/** The oldest blocks whose entries are all too old, as one run. */
async function oldBlocks(transaction: Queryable, chain: ChainName, days: number): Promise<Block[]> {
  const old: Block[] = []
  let entries = 0
  for (const block of await blocksOf(transaction, sql`where chain = ${chain} order by last limit ${atOnce.blocks}`)) {
    entries += block.ids.length
    if (entries > atOnce.entries && old.length > 0) break
    const young = sql`
      select count(*) as count from audit
      where id = any(${block.ids}::bigint[]) and at >= now() - make_interval(days => ${days})`
    const isYoung =
      block.kind === 'entries'
        ? (await one(transaction, Count, young)).count > 0
        : block.sealedAt.getTime() >= Date.now() - days * 24 * 60 * 60 * 1_000
    if (isYoung) break
    old.push(block)
  }
  return old
}
