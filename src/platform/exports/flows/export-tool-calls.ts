import type { ExportDestination, ExportedRecord } from '../../../kit/export/destination.ts'
import { type ExportReports, exportBatch } from '../../../kit/export/export-batch.ts'
import type { ExportedCall, ToolCallExport } from '../domain/tool-call-export.ts'

const atOnce = 500

type Ports = { toolCallExport: ToolCallExport; pause(ms: number): Promise<void> }

/** The positions of this stream are the numbers of calls. */
export const exportToolCalls = (ports: Ports, destination: ExportDestination, reports: ExportReports) =>
  exportBatch(destination, {
    positions: ports.toolCallExport.positions,
    reports,
    async read(after) {
      const until = await settled(ports, after)
      const calls = until > after ? await ports.toolCallExport.callsBetween(after, until, atOnce) : []
      const isFull = calls.length === atOnce
      return { records: calls.map(toRecord), through: isFull ? (calls.at(-1)?.seq ?? until) : until, isFull }
    },
  })

const maxPauses = 100
const pauseMs = 20

/** Numbers are not the order of commits: a call with a lower number may become visible later. */
async function settled({ toolCallExport, pause }: Ports, after: number): Promise<number> {
  const { until, writers } = await toolCallExport.writesUnderWay()
  if (until <= after) return after
  let left = writers
  for (let pauses = 0; left.length > 0 && pauses < maxPauses; pauses++) {
    await pause(pauseMs)
    left = await toolCallExport.stillWriting(left)
  }
  return left.length === 0 ? until : after
}

const toRecord = ({ seq, at, ...call }: ExportedCall): ExportedRecord => ({
  id: `call_${seq}`,
  atMicros: BigInt(at.getTime()) * 1_000n,
  attributes: { 'event.name': 'tool_call', 'causeway.workspace.name': call.workspace },
  line: JSON.stringify({
    id: `call_${seq}`,
    time: at.toISOString(),
    workspace: call.workspace,
    function: { name: call.functionName, id: call.functionId },
    tool: call.tool,
    outcome: call.outcome,
    code: call.code,
    durationMs: call.durationMs,
    caller: { kind: call.callerKind, id: call.callerId, name: call.callerLabel, credential: call.credential },
  }),
})
