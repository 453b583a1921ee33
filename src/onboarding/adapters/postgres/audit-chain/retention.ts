import type pg from 'pg'
import { z } from 'zod'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, one, type Queryable, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import type { ChainName, RetentionBody } from '../../../domain/audit/audit-chain.ts'
import type { AuditRetention } from '../../../domain/ports/audit-chain.ts'
import { appendSpecials, type KnownEnds, lockSealing } from './chain-tail.ts'

export const postgresRetention = (pool: pg.Pool, keys: SigningKeys, known: KnownEnds): AuditRetention => ({
  async continueMonths() {
    while ((await one(pool, Continued, sql`select continue_audit_months() as "isIncomplete"`)).isIncomplete);
  },
  async forgetOld(days) {
    let dropped = 0
    while (await inTransaction(pool, (transaction) => dropOldest({ transaction, keys, known }, days))) dropped++
    return dropped
  },
})

const Continued = z.object({ isIncomplete: z.boolean() })

type Chains = { transaction: Queryable; keys: SigningKeys; known: KnownEnds }

/** The locks that writers wait for are taken last, and given up after half a second. */
async function dropOldest(chains: Chains, days: number): Promise<boolean> {
  const { transaction } = chains
  const lock = await lockSealing(transaction, { wait: true })
  const oldest = await row(transaction, MonthRow, oldestMonth(days))
  if (!oldest || (lock?.horizon ?? 0) < oldest.past - 1 || oldest.isYoung) return false
  const ends = await rows(transaction, EndRow, chainEnds(oldest.month))
  for (let at = 0; at < ends.length; at += chainsAtOnce) {
    await dropBefore(chains, ends.slice(at, at + chainsAtOnce))
  }
  await execute(transaction, sql`delete from audit_erased where id < ${oldest.past}`)
  await execute(transaction, sql`select drop_audit_month(${oldest.month})`)
  return true
}

const chainsAtOnce = 500

/** The blocks of entries are dropped with their month. Others before them are removed here. */
async function dropBefore({ transaction, keys, known }: Chains, ends: readonly ChainEnd[]): Promise<void> {
  const bodies = ends.map(({ chain, through, hash, throughId }): [ChainName, RetentionBody] => [
    chain,
    { kind: 'retention', through, hash: hash.toString('base64url'), throughId: String(throughId) },
  ])
  await appendSpecials(transaction, keys, new Map(bodies), known)
  await execute(
    transaction,
    sql`
      delete from audit_blocks using unnest(
        ${ends.map(({ chain }) => chain)}::text[], ${ends.map(({ through }) => through)}::bigint[]
      ) as dropped (chain, through)
      where entry = 0 and audit_blocks.chain = dropped.chain and last <= through`,
  )
}

const oldestMonth = (days: number): Sql => sql`
  select month, past, coalesce((
    select at >= now() - make_interval(days => ${days}) from audit where id < past order by id desc limit 1
  ), false) as "isYoung"
  from (
    select min(right(relname, 6)::integer) as month from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'audit'::regclass
  ) as oldest, audit_month_start(audit_month_after(month)) as past
  where month is not null`

const MonthRow = z.object({ month: z.number(), past: z.number(), isYoung: z.boolean() })

const chainEnds = (month: number): Sql =>
  sql`select chain, through, hash, entry as "throughId" from audit_month_ends(${month})`

const EndRow = z.object({ chain: z.string(), through: z.number(), hash: z.instanceof(Buffer), throughId: z.number() })

type ChainEnd = z.infer<typeof EndRow>
