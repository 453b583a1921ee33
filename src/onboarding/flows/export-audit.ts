import type { ExportDestination, ExportedRecord } from '../../kit/export/destination.ts'
import { type ExportReports, exportBatch } from '../../kit/export/export-batch.ts'
import { exportedRecords } from '../domain/audit/audit-records.ts'
import type { Ports } from '../domain/ports/ports.ts'

const atOnce = { blocks: 100, entries: 500 }

type ExportPorts = Pick<Ports, 'auditExport'>

/** The positions of this stream are numbers of blocks. */
export const exportAudit = ({ auditExport }: ExportPorts, destination: ExportDestination, reports: ExportReports) =>
  exportBatch(destination, {
    positions: auditExport.positions,
    reports,
    async read(after) {
      const blocks = await auditExport.blocksAfter(after, atOnce)
      const records = blocks.flatMap((block) => exportedRecords(block).map(toRecord))
      const isFull = blocks.length === atOnce.blocks || records.length >= atOnce.entries
      return { records, through: blocks.at(-1)?.number ?? after, isFull }
    },
  })

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
