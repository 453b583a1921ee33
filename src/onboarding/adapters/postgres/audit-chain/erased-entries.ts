import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, type Queryable, type Sql, sql } from '../../../../kit/database/sql.ts'
import {
  type Block,
  type ChainedRow,
  digestOf,
  entryRecord,
  personalMembers,
  saltBytes,
} from '../../../domain/audit/audit-chain.ts'
import { appendSpecials, lockSealing } from './chain-tail.ts'
import { blocksOf, chainedRows } from './rows.ts'

/** Removes personal data from entries, and says so in the chain. Returns the number of entries. */
export type EraseEntries = (
  transaction: Queryable,
  erasure: { id: string; tenant: string },
  which: Sql,
) => Promise<number>

export const entryEraser =
  (keys: SigningKeys): EraseEntries =>
  async (transaction, erasure, which) => {
    const lock = await lockSealing(transaction, { wait: true })
    const found = await chainedRows(transaction, sql`${which} order by id`)
    if (found.length === 0) return 0
    const horizon = lock?.horizon ?? 0
    // The others are sealed later, without the data.
    const sealed = found.filter(({ id }) => id <= horizon)
    if (sealed.length > 0) await announce(transaction, keys, erasure, sealed)
    const erased = sql`
      update audit set erasure = ${erasure.id}, reason = null,
        address = case actor_kind when 'browser' then null else address end,
        before = ${withoutPersonal('before')}, after = ${withoutPersonal('after')}
      where id = any(${found.map(({ id }) => id)}::bigint[])`
    return execute(transaction, erased)
  }

const withoutPersonal = (column: 'before' | 'after'): Sql =>
  personalMembers.reduce((value, member) => {
    const emptied = sql`${value} || jsonb_build_object(${member}::text, null)`
    return sql`case when ${sql.identifier(column)} ? ${member} then ${emptied} else ${value} end`
  }, sql.identifier(column))

async function announce(
  transaction: Queryable,
  keys: SigningKeys,
  { id: erasureId, tenant }: { id: string; tenant: string },
  sealed: readonly ChainedRow[],
): Promise<void> {
  const ids = sealed.map(({ id }) => id)
  const rowOf = new Map(sealed.map((row) => [row.id, row]))
  const where = sql`where chain = ${tenant} and kind = 'entries' and ids && ${ids}::bigint[]`
  for (const block of await blocksOf(transaction, where)) await takeSalts(transaction, block, rowOf)
  await appendSpecials(transaction, keys, new Map([[tenant, { kind: 'erasure', erasureId, entries: ids.map(String) }]]))
}

/** Without the salt nobody can test whether a digest is that of a known value. */
async function takeSalts(transaction: Queryable, block: Block, rowOf: ReadonlyMap<number, ChainedRow>): Promise<void> {
  const salts = Buffer.from(block.salts)
  for (const [at, id] of block.ids.entries()) {
    const row = rowOf.get(id)
    if (!row) continue
    const salt = salts.subarray(at * saltBytes, (at + 1) * saltBytes)
    const { personal, hidden } = entryRecord(row, salt, undefined)
    // Only the address of a browser is removed, so others stay verifiable.
    const isHiddenErased = row.actorKind === 'browser' && hidden
    await execute(
      transaction,
      sql`insert into audit_erased (id, personal, hidden)
        values (${id}, ${personal ? digestOf(personal) : null}, ${isHiddenErased ? digestOf(isHiddenErased) : null})`,
    )
    salt.fill(0, 0, isHiddenErased ? saltBytes : saltBytes / 2)
  }
  await execute(
    transaction,
    sql`update audit_blocks set salts = ${salts} where chain = ${block.chain} and last = ${block.last}`,
  )
}
