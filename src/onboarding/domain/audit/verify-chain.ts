// Compares a chain with what the ledger has now, block by block.
import type { ReadBlocks } from '../ports/audit-chain.ts'
import {
  type Block,
  type ChainedRow,
  type ChainName,
  type Erased,
  entryRecord,
  hashAfter,
  isCleared,
  leafBytes,
  leafOf,
  leavesOf,
  type SpecialBody,
  saltBytes,
  startOf,
} from './audit-chain.ts'

export const chainProblems = {
  changed: 'An entry was changed.',
  removed: 'An entry was removed.',
  inserted: 'An entry was inserted.',
  reordered: 'Entries were exchanged.',
  rewritten: 'The chain was recomputed. Its hashes do not lead to the signed head.',
  forged_head: 'The head is not signed by a key of this deployment.',
  other_history: 'The chain differs from a saved head: another history took its place.',
  shortened: 'The chain is shorter than a saved head: its end was removed, or an older copy was restored.',
} as const

type ChainProblem = keyof typeof chainProblems

export type Finding = { position: number; problem: ChainProblem; entryId?: string }

export type SavedHead = { chain: ChainName; position: number; hash: string }

type VerifiedUpTo = { position: number; id: number; hash: Buffer }

type Known = {
  chain: ChainName
  specials: readonly SpecialBody[]
  saved: readonly SavedHead[]
  isSigned(block: Block): boolean | undefined
}

/** The sequence starts at 1; who inserts rows may choose lower IDs. */
export const lowestId = Number.MIN_SAFE_INTEGER

export const chainStart = (chain: ChainName): VerifiedUpTo => ({ position: 0, id: lowestId, hash: startOf(chain) })

/** Returns the first finding, or how far the chain is verified. */
export function verifyBlocks(known: Known, read: ReadBlocks, from: VerifiedUpTo): Finding | VerifiedUpTo {
  const erasures = erasuresIn(known.specials)
  let at = from
  for (const block of read.blocks) {
    const next = continued(known, block, at)
    if ('problem' in next) return next
    const found = strangerIn(block, read.strangers) ?? verifyBlock(known, block, next, { ...read, erasures })
    if (found) return found
    at = { position: block.last, id: block.ids.at(-1) ?? at.id, hash: block.hash }
  }
  return at
}

/** A chain starts at its first position, or where a retention entry says. */
function continued({ chain, specials }: Known, block: Block, at: VerifiedUpTo): Finding | VerifiedUpTo {
  if (block.first === at.position + 1) return at
  const isStart = at.position === 0 && at.hash.equals(startOf(chain))
  const dropped = specials.find((body) => body.kind === 'retention' && body.through === block.first - 1)
  if (isStart && dropped?.kind === 'retention') {
    return { ...at, position: dropped.through, hash: Buffer.from(dropped.hash, 'base64url') }
  }
  return { position: at.position + 1, problem: block.first > at.position + 1 ? 'removed' : 'rewritten' }
}

function strangerIn({ ids, first }: Block, strangers: readonly number[]): Finding | undefined {
  const last = ids.at(-1)
  const stranger = last === undefined ? undefined : strangers.find((id) => id < last)
  if (stranger === undefined) return undefined
  const before = ids.filter((id) => id < stranger).length
  return { position: first + before, problem: 'inserted', entryId: String(stranger) }
}

type Found = Pick<ReadBlocks, 'rows' | 'erased'> & { erasures: ReadonlyMap<string, string> }

function verifyBlock(known: Known, block: Block, from: VerifiedUpTo, found: Found): Finding | undefined {
  const { first, last, body } = block
  const leaves = leavesOf(block)
  if (leaves.length !== last - first + 1 || block.leaves.length % leafBytes !== 0)
    return { position: first, problem: 'rewritten' }
  if (block.kind === 'entries') {
    const wrong = verifyEntries(block, leaves, from, found)
    if (wrong) return wrong
  } else if (!body || !leafOf(body).equals(leaves[0] as Buffer)) return { position: first, problem: 'changed' }
  if (!hashAfter(from.hash, leaves).equals(block.hash)) return { position: first, problem: 'rewritten' }
  // Keys that were removed after a rotation are not loaded. The head at the end is signed by a current one.
  if (known.isSigned(block) === false) return { position: last, problem: 'forged_head' }
  if (body?.kind === 'break') return { position: body.at, problem: 'forged_head' }
  return savedHeadIn(known, block, leaves, from)
}

function savedHeadIn({ saved }: Known, block: Block, leaves: readonly Buffer[], from: VerifiedUpTo) {
  for (const { position, hash } of saved) {
    if (position < block.first || position > block.last) continue
    const reached = hashAfter(from.hash, leaves.slice(0, position - block.first + 1))
    if (reached.toString('base64url') !== hash) return { position, problem: 'other_history' as const }
  }
  return undefined
}

function verifyEntries(block: Block, leaves: readonly Buffer[], from: VerifiedUpTo, found: Found): Finding | undefined {
  let previous = from.id
  for (const [at, id] of block.ids.entries()) {
    const place = { position: block.first + at, entryId: String(id) }
    if (id <= previous) return { ...place, problem: 'reordered' }
    previous = id
    const row = found.rows.get(id)
    if (!row) return { ...place, problem: 'removed' }
    if (leafAt(block, at, row, found)?.equals(leaves[at] as Buffer)) continue
    return { ...place, problem: isExchanged(block, at, row, found) ? 'reordered' : 'changed' }
  }
  return block.ids.length === leaves.length ? undefined : { position: block.first, problem: 'rewritten' }
}

/** Undefined if an erasure left something in the row, or did not name it. */
function leafAt(block: Block, at: number, row: ChainedRow, { erased, erasures }: Found): Buffer | undefined {
  const id = block.ids[at] as number
  const named = erasures.get(String(id))
  const digests = named === undefined ? undefined : erased.get(id)
  if (named !== undefined && (row.erasure !== named || !digests || !isCleared(row, digests))) return undefined
  return leafOf(entryRecord(row, saltAt(block, at), digests as Erased | undefined).body)
}

const saltAt = ({ salts }: Block, at: number) => salts.subarray(at * saltBytes, (at + 1) * saltBytes)

/** Whether the row has the content of another one of its block. */
function isExchanged(block: Block, at: number, row: ChainedRow, found: Found): boolean {
  const leaves = leavesOf(block)
  return block.ids.some(
    (id, other) => other !== at && leafAt(block, other, { ...row, id }, found)?.equals(leaves[other] as Buffer),
  )
}

const erasuresIn = (specials: readonly SpecialBody[]): ReadonlyMap<string, string> =>
  new Map(
    specials.flatMap((body) =>
      body.kind === 'erasure' ? body.entries.map((entry) => [entry, body.erasureId] as const) : [],
    ),
  )
