import type { ExportDestination } from '../../../kit/export/destination.ts'
import type { ExportPositions } from '../../../kit/export/export-batch.ts'

export type ExportedCall = {
  seq: number
  at: Date
  durationMs: number
  workspace: string
  functionName: string
  functionId: string
  callerKind: string
  callerId: string
  callerLabel: string
  credential: string
  tool: string
  outcome: string
  code: string | undefined
}

export type ToolCallExport = {
  positions: ExportPositions
  /** The newest number that was given out, and the transactions that may still write a call up to it. */
  writesUnderWay(): Promise<{ until: number; writers: string[] }>
  stillWriting(writers: readonly string[]): Promise<string[]>
  /** In order of their numbers. */
  callsBetween(after: number, until: number, limit: number): Promise<ExportedCall[]>
  destinations: readonly ExportDestination[]
}
