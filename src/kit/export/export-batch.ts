import { type ExportDestination, type ExportedRecord, ExportRefused } from './destination.ts'

/** `exported`: the position up to which the destination has everything. */
type ExportClaim = { destination: string; fence: number; exported: number }

/** The position of each destination. Only the holder of the newest claim moves it. */
export type ExportPositions = {
  /** Undefined if it is not due, or another process works on it. */
  claim(destination: string): Promise<ExportClaim | undefined>
  /** False if another process has taken over. */
  renew(claim: ExportClaim): Promise<boolean>
  exported(claim: ExportClaim, through: number, delaySeconds: number): Promise<void>
  failed(claim: ExportClaim, problem: string, minDelaySeconds: number): Promise<{ delaySeconds: number }>
}

/** `isFull`: more may follow at once. */
type ReadRecords = (after: number) => Promise<{ records: ExportedRecord[]; through: number; isFull: boolean }>

export type ExportReports = {
  failed(failure: { destination: string; problem: string; inSeconds: number }): void
  rejected(rejected: { destination: string; count: number }): void
}

type Export = { positions: ExportPositions; read: ReadRecords; reports: ExportReports }

/** One batch at a time: a slow receiver slows its own export, and nothing piles up in memory. */
export async function exportBatch(
  destination: ExportDestination,
  { positions, read, reports }: Export,
): Promise<number> {
  const claim = await positions.claim(destination.name)
  if (!claim) return 0
  const { exported: after, destination: name } = claim
  const { records, through, isFull } = await read(after)
  try {
    for (const [part, some] of partsOf(records, destination.maxBytes).entries()) {
      if (part > 0 && !(await positions.renew(claim))) return 0
      const { rejected } = await destination.send({ after, through, part, records: some })
      if (rejected > 0) reports.rejected({ destination: name, count: rejected })
    }
  } catch (error) {
    const problem = (error as Error).message
    const asked = error instanceof ExportRefused ? (error.retryAfterSeconds ?? 0) : 0
    const { delaySeconds } = await positions.failed(claim, problem, Math.min(asked, maxAskedSeconds))
    reports.failed({ destination: name, problem, inSeconds: delaySeconds })
    return 0
  }
  await positions.exported(claim, through, isFull ? 0 : destination.pauseSeconds)
  return isFull ? records.length : 0
}

/** Limits `Retry-After`, so that a mistaken receiver does not end the export. */
const maxAskedSeconds = 60 * 60

function partsOf(records: readonly ExportedRecord[], maxBytes = Number.POSITIVE_INFINITY): ExportedRecord[][] {
  const parts: ExportedRecord[][] = []
  let left = 0
  for (const record of records) {
    const bytes = Buffer.byteLength(record.line)
    const last = parts.at(-1)
    if (last && bytes <= left) last.push(record)
    else parts.push([record])
    left = (last && bytes <= left ? left : maxBytes) - bytes
  }
  return parts
}
