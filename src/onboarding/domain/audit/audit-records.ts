// The form in which positions of a chain leave the program: the API, exports and verifiers read the same.
import type { ReadBlocks } from '../ports/audit-chain.ts'
import {
  type Block,
  deploymentChain,
  type EntryRecord,
  entryRecord,
  headJws,
  leavesOf,
  nextHash,
  saltBytes,
} from './audit-chain.ts'
import { lowestId } from './verify-chain.ts'

/** `body` is missing if the entry was removed. `unsealedId`: an entry that no position names. */
export type ChainRecord =
  | ({ position: number; leaf: string; previous: string; hash: string } & Partial<EntryRecord>)
  | { position: number; unsealedId: string }

const base64url = (bytes: Buffer) => bytes.toString('base64url')

export function recordsOf(read: ReadBlocks, { showsHidden }: { showsHidden: boolean }): ChainRecord[] {
  let previous = read.previous
  return read.blocks.flatMap((block) => {
    const sealed = leavesOf(block).map((leaf, at): ChainRecord => {
      const content = block.kind === 'entries' ? entryAt(read, block, at, showsHidden) : specialIn(block)
      const hash = nextHash(previous, leaf)
      const hashes = { leaf: base64url(leaf), previous: base64url(previous), hash: base64url(hash) }
      previous = hash
      return { position: block.first + at, ...content, ...hashes }
    })
    return [...insertedBefore(read, block), ...sealed]
  })
}

const specialIn = ({ body }: Block) => (body ? { body } : {})

function entryAt({ rows, erased }: ReadBlocks, block: Block, at: number, showsHidden: boolean): Partial<EntryRecord> {
  const id = block.ids[at] as number
  const row = rows.get(id)
  if (!row) return {}
  const digests = row.erasure === undefined ? undefined : erased.get(id)
  const salt = block.salts.subarray(at * saltBytes, (at + 1) * saltBytes)
  const { body, personal, hidden } = entryRecord(row, salt, digests)
  return { body, ...(personal && { personal }), ...(hidden && showsHidden && { hidden }) }
}

function insertedBefore({ blocks, strangers }: ReadBlocks, block: Block): ChainRecord[] {
  const before =
    blocks
      .filter(({ last }) => last < block.first)
      .flatMap(({ ids }) => ids)
      .at(-1) ?? lowestId
  const last = block.ids.at(-1) ?? lowestId
  return strangers
    .filter((id) => id > before && id < last)
    .map((id) => ({ position: block.first, unsealedId: String(id) }))
}

type ExportedRecordOf = { id: string; tenantId?: string; head?: string } & ChainRecord

/** The last one of a block has the signed head, so that heads leave the machine with every batch. */
export function exportedRecords(read: ReadBlocks): ExportedRecordOf[] {
  const heads = new Map(read.blocks.map((block) => [block.last, headJws(block)]))
  const chain = read.blocks[0]?.chain ?? deploymentChain
  return recordsOf(read, { showsHidden: true }).map((record) => ({
    id: `${chain}:${record.position}`,
    ...(chain !== deploymentChain && { tenantId: chain }),
    ...record,
    ...('leaf' in record && heads.has(record.position) && { head: heads.get(record.position) as string }),
  }))
}
