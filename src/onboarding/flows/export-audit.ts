import { exportedRecords } from '../domain/audit/audit-records.ts'
import type { AuditDestination, ExportedRecord } from '../domain/ports/audit-chain.ts'
import type { Ports } from '../domain/ports/ports.ts'

const atOnce = { blocks: 100, entries: 500 }

type ExportPorts = Pick<Ports, 'auditExports' | 'auditDestinations'>

type ReportFailure = (failure: { destination: string; problem: string; inSeconds: number }) => void

/** One batch at a time and destination: a slow receiver slows its own export, and nothing piles up in memory. */
export async function exportAudit(ports: ExportPorts, report: ReportFailure): Promise<number> {
  const sent = await Promise.all(ports.auditDestinations.map((destination) => exportTo(ports, destination, report)))
  return sent.reduce((sum, records) => sum + records, 0)
}

async function exportTo(
  { auditExports }: ExportPorts,
  destination: AuditDestination,
  report: ReportFailure,
): Promise<number> {
  const claim = await auditExports.claim(destination.name)
  if (!claim) return 0
  const blocks = await auditExports.blocksAfter(claim.exported, atOnce)
  const records = blocks.flatMap((block) => exportedRecords(block).map(toRecord))
  try {
    if (records.length > 0) await destination.send({ after: claim.exported, records })
  } catch (error) {
    const problem = (error as Error).message
    const { delaySeconds } = await auditExports.failed(claim, problem)
    report({ destination: destination.name, problem, inSeconds: delaySeconds })
    return 0
  }
  const isFull = blocks.length === atOnce.blocks || records.length >= atOnce.entries
  const through = blocks.at(-1)?.number ?? claim.exported
  await auditExports.exported(claim, through, isFull ? 0 : destination.pauseSeconds)
  return isFull ? records.length : 0
}

function toRecord(record: ReturnType<typeof exportedRecords>[number]): ExportedRecord {
  const body = 'body' in record ? record.body : undefined
  const { kind = 'removed', action, occurredAt } = (body ?? {}) as Record<string, string>
  return {
    id: record.id,
    atMicros: occurredAt === undefined ? undefined : microsOf(occurredAt),
    attributes: {
      'event.name': action ?? `audit.${kind}`,
      ...(record.tenantId !== undefined && { 'causeway.tenant.id': record.tenantId }),
    },
    line: JSON.stringify(record),
  }
}

/** `2026-11-15T09:30:02.123456Z`: Date would drop the microseconds. */
const microsOf = (time: string): bigint =>
  BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1_000n + BigInt(time.slice(20, 26))
