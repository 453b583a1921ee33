// Appends to chains. The caller holds the lock of the sealer, so that positions have no gaps.
import { randomFillSync } from 'node:crypto'
import { setImmediate as untilRequestsRan } from 'node:timers/promises'
import { z } from 'zod'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { execute, type Queryable, row, rows, sql } from '../../../../kit/database/sql.ts'
import {
  type Block,
  type ChainedRow,
  type ChainName,
  entryRecord,
  hashAfter,
  headText,
  leafOf,
  type SpecialBody,
  saltBytes,
  startOf,
  type Tail,
} from '../../../domain/audit/audit-chain.ts'
import { announceSealed } from './audit-events.ts'

/** Undefined if another process seals, unless it is waited for. */
export async function lockSealing(
  transaction: Queryable,
  { wait }: { wait: boolean },
): Promise<{ horizon: number } | undefined> {
  return row(transaction, Horizon, sql`select horizon from audit_sealing for update ${wait ? sql`` : sql`skip locked`}`)
}

const Horizon = z.object({ horizon: z.number() })

export const tailsOf = (db: Queryable, chains: readonly ChainName[]): Promise<Tail[]> =>
  rows(
    db,
    TailColumns,
    sql`
      select tail.* from unnest(${chains}::text[]) as wanted cross join lateral (
        select ${sql.columns(TailColumns)} from audit_blocks where chain = wanted order by last desc limit 1
      ) as tail`,
  )

export const tailOf = async (db: Queryable, chain: ChainName): Promise<Tail | undefined> =>
  (await tailsOf(db, [chain]))[0]

const bytes = z.instanceof(Buffer)

const TailColumns = z.object({
  chain: z.string(),
  last: z.number(),
  hash: bytes,
  sealedAt: z.date(),
  kid: z.string(),
  signature: bytes,
})

type End = Pick<Tail, 'chain' | 'last' | 'hash'>

type NewBlock = Tail & Pick<Block, 'first' | 'kind' | 'ids' | 'leaves' | 'salts' | 'body'>

type Content = Pick<Block, 'kind' | 'ids' | 'salts' | 'body'> & { newLeaves: Buffer[] }

function blockBehind(keys: SigningKeys, { chain, last, hash }: End, { newLeaves, ...content }: Content): NewBlock {
  const unsigned = {
    chain,
    last: last + newLeaves.length,
    hash: hashAfter(hash, newLeaves),
    sealedAt: new Date(),
    kid: keys.kid,
  }
  const signature = keys.sign(headText(unsigned))
  return { ...unsigned, signature, first: last + 1, leaves: Buffer.concat(newLeaves), ...content }
}

const specialBlock = (keys: SigningKeys, end: End, body: SpecialBody): NewBlock =>
  blockBehind(keys, end, { kind: body.kind, ids: [], salts: Buffer.alloc(0), body, newLeaves: [leafOf(body)] })

export function blockOfRows(keys: SigningKeys, end: End, sealed: readonly ChainedRow[]): NewBlock {
  const salts = randomFillSync(Buffer.alloc(sealed.length * saltBytes))
  const newLeaves = sealed.map((each, at) =>
    leafOf(entryRecord(each, salts.subarray(at * saltBytes, (at + 1) * saltBytes), undefined).body),
  )
  return blockBehind(keys, end, { kind: 'entries', ids: sealed.map(({ id }) => id), salts, body: undefined, newLeaves })
}

/** A block takes up to 0.4 ms to check and sign. */
const chainsInTurn = 20

export async function signInTurns<T>(chains: readonly T[], sign: (chain: T) => NewBlock[]): Promise<NewBlock[]> {
  const blocks: NewBlock[] = []
  for (const [at, chain] of chains.entries()) {
    if (at % chainsInTurn === 0) await untilRequestsRan()
    blocks.push(...sign(chain))
  }
  return blocks
}

export async function insertBlocks(transaction: Queryable, blocks: readonly NewBlock[]): Promise<void> {
  if (blocks.length === 0) return
  const values = blocks.map(
    (block) => sql`(${block.chain}, ${block.first}, ${block.last}, ${block.kind}, ${block.ids}::bigint[],
      ${block.leaves}, ${block.salts}, ${block.body ? JSON.stringify(block.body) : null}::jsonb, ${block.hash},
      ${block.sealedAt}, ${block.kid}, ${block.signature}, ${block.ids.at(-1) ?? 0})`,
  )
  await execute(
    transaction,
    sql`
      insert into audit_blocks (chain, first, last, kind, ids, leaves, salts, body, hash, sealed_at, kid, signature, entry)
      values ${sql.join(values)}`,
  )
  await announceSealed(transaction, blocks)
}

/** Ends that this process has signed or checked: a check takes longer than everything else about a small block. */
export type KnownEnds = { has(end: Tail): boolean; add(end: Tail): void }

const maxKnownEnds = 10_000

export function knownEnds(): KnownEnds {
  const ends = new Map<ChainName, string>()
  const textOf = (end: Tail) => `${headText(end)}.${end.signature.toString('base64')}`
  return {
    has: (end) => ends.get(end.chain) === textOf(end),
    add(end) {
      if (ends.size >= maxKnownEnds) ends.clear()
      ends.set(end.chain, textOf(end))
    },
  }
}

/** Never continues a head that this deployment did not sign as if it were genuine: the break stays visible. */
export function continuable(
  keys: SigningKeys,
  chain: ChainName,
  tail: Tail | undefined,
  known?: KnownEnds,
): { end: End; blocks: NewBlock[] } {
  if (!tail) return { end: { chain, last: 0, hash: startOf(chain) }, blocks: [] }
  if (known?.has(tail) || keys.isValid(tail.kid, headText(tail), tail.signature)) return { end: tail, blocks: [] }
  const broken = specialBlock(keys, tail, { kind: 'break', at: tail.last })
  return { end: broken, blocks: [broken] }
}

/** For the rare changes: one block behind the end of each chain. */
export async function appendSpecials(
  transaction: Queryable,
  keys: SigningKeys,
  bodies: ReadonlyMap<ChainName, SpecialBody | undefined>,
  known?: KnownEnds,
): Promise<void> {
  const tails = new Map((await tailsOf(transaction, [...bodies.keys()])).map((tail) => [tail.chain, tail]))
  const appended = await signInTurns([...bodies], ([chain, body]) => {
    const { end, blocks } = continuable(keys, chain, tails.get(chain), known)
    return body ? [...blocks, specialBlock(keys, end, body)] : blocks
  })
  await insertBlocks(transaction, appended)
}
