import type pg from 'pg'
import { z } from 'zod'
import { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import { execute, maybe, rows, sql } from '../../../kit/database/sql.ts'
import type { Log } from '../../../kit/process/log.ts'
import { attempt, type LoopReports, repeat } from '../../../kit/process/repeat.ts'
import type { RecordedCall, ToolCall, ToolCalls } from '../domain/tool-call.ts'

const batchSize = 1_000

/** While the database is away; beyond it the oldest are lost, and the log says so. */
const mostWaiting = 100_000

const keptDays = 30

const Row = z
  .object({
    seq: z.number(),
    at: z.date(),
    durationMs: z.number(),
    workspace: z.string(),
    functionName: z.string(),
    functionId: z.string(),
    kind: z.string(),
    id: z.string(),
    label: z.string(),
    credential: z.string(),
    tool: z.string(),
    outcome: z.enum(['succeeded', 'failed', 'refused', 'cancelled', 'crashed']),
    code: maybe(ToolErrorCode),
  })
  .transform(
    ({ kind, id, label, credential, ...call }): RecordedCall => ({
      ...call,
      caller: { kind, id, label, credential },
    }),
  )

/** A second's calls are lost with a process that is killed: a call waits for no disk. */
export function postgresToolCalls(pool: pg.Pool, reports: LoopReports & { log: Log<'tool_calls.lost'> }) {
  let waiting: ToolCall[] = []
  const store = async () => {
    const lost = Math.max(0, waiting.length - mostWaiting)
    if (lost > 0) {
      waiting = waiting.slice(lost)
      reports.log('tool_calls.lost', { count: lost })
    }
    for (let batch = waiting.slice(0, batchSize); batch.length > 0; batch = waiting.slice(0, batchSize)) {
      await write(pool, batch)
      waiting = waiting.slice(batch.length)
    }
  }
  const turn = repeat('store-tool-calls', 1_000, store, reports)
  const calls: ToolCalls = {
    note: (call) => void waiting.push(call),
    list: ({ workspace, functionName, exceptOf }, before, limit) =>
      rows(
        pool,
        Row,
        // By the column: `id` alone would be the caller's, which has that name in the answer.
        sql`select id as seq, at, duration_ms as "durationMs", workspace, function_name as "functionName",
            function_id as "functionId", caller_kind as kind, caller_id as id, caller_label as label, credential,
            tool, outcome, code
          from tool_calls where workspace = ${workspace} and function_name = ${functionName}
            and id < ${before ?? Number.MAX_SAFE_INTEGER}
            and credential is distinct from ${exceptOf ?? null}
          order by tool_calls.id desc limit ${limit}`,
      ),
  }
  return {
    ...calls,
    sweep: () => execute(pool, sql`delete from tool_calls where at < now() - ${keptDays}::integer * interval '1 day'`),
    async close() {
      await turn.stop()
      await attempt('store-tool-calls', store, reports)
    },
  }
}

/** A workspace that was deleted meanwhile has taken its record with it. */
const write = (pool: pg.Pool, batch: readonly ToolCall[]) =>
  execute(
    pool,
    sql`insert into tool_calls (at, duration_ms, workspace, function_name, function_id, caller_kind, caller_id,
        caller_label, credential, tool, outcome, code)
      select c.at, c.duration_ms, c.workspace, c.function_name, c.function_id, c.caller_kind, c.caller_id,
        c.caller_label, c.credential, c.tool, c.outcome, c.code
      from json_populate_recordset(null::tool_calls, ${JSON.stringify(batch.map(toRow))}) c
      join workspaces w on w.name = c.workspace order by c.id`,
  )

/** The id is its place in the batch: they are numbered in the order in which they ended. */
const toRow = ({ caller, ...call }: ToolCall, id: number) => ({
  id,
  at: call.at,
  duration_ms: call.durationMs,
  workspace: call.workspace,
  function_name: call.functionName,
  function_id: call.functionId,
  caller_kind: caller.kind,
  caller_id: caller.id,
  caller_label: caller.label,
  credential: caller.credential,
  tool: call.tool,
  outcome: call.outcome,
  code: call.code ?? null,
})
