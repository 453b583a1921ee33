import type { ExportDestination } from '../../../kit/export/destination.ts'
import type { ExportPositions } from '../../../kit/export/export-batch.ts'
import type { Block, ChainedRow, ChainName, Erased, SpecialBody, Tail } from '../audit/audit-chain.ts'

export type AuditSealer = {
  /** The newest ID that was given out, and the transactions that may still write one up to it. */
  writesUnderWay(): Promise<{ until: number; isSealed: boolean; writers: string[] }>
  stillWriting(writers: readonly string[]): Promise<string[]>
  /** Seals the entries of the next `count` IDs. Undefined if all up to `until` are sealed, or another process seals. */
  sealNext(until: number, count: number): Promise<number | undefined>
}

/** Blocks with what the ledger has for them now. */
export type ReadBlocks = {
  blocks: Block[]
  /** The hash before the first block. */
  previous: Buffer
  rows: Map<number, ChainedRow>
  erased: Map<number, Erased>
  /** Rows of the chain between these blocks that no block names. */
  strangers: number[]
}

export type AuditChains = {
  /** All entries up to this ID are sealed. */
  horizon(): Promise<number>
  tail(chain: ChainName): Promise<Tail | undefined>
  /** The first blocks behind the position, with at most about `limit` entries. */
  read(chain: ChainName, after: { position: number; id: number }, limit: number): Promise<ReadBlocks>
  /** IDs of sealed rows of the chain above this one: a chain that ends earlier lacks them. */
  strangersAfter(chain: ChainName, id: number, horizon: number): Promise<number[]>
  /** Erasures, retentions and breaks of the chain. */
  specials(chain: ChainName): Promise<SpecialBody[]>
  /** Of all chains, also of those that lost their blocks. */
  names(): Promise<ChainName[]>
  /** Undefined if its key is not loaded. */
  isSigned(head: Tail): boolean | undefined
  publicKeys: ReadonlyArray<Readonly<Record<string, string>>>
}

export type AuditRetention = {
  /** Prepares the partitions of the next months, and begins that of this month. */
  continueMonths(): Promise<void>
  /** Drops months in which every entry is older. Returns their number. */
  forgetOld(days: number): Promise<number>
}

type NumberedBlock = ReadBlocks & { number: number }

export type AuditChainPorts = {
  auditSealer: AuditSealer
  auditChains: AuditChains
  auditRetention: AuditRetention
  auditExport: {
    positions: ExportPositions
    /** The next blocks of all chains, in the order in which they were sealed; each with its rows. */
    blocksAfter(number: number, limits: { blocks: number; entries: number }): Promise<NumberedBlock[]>
    destinations: readonly ExportDestination[]
  }
}
