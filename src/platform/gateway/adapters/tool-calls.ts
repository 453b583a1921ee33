import type pg from 'pg'
import { z } from 'zod'
import { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import { execute, maybe, rows, sql } from '../../../kit/database/sql.ts'
import type { Log } from '../../../kit/process/log.ts'
import { attempt, type LoopReports, repeat } from '../../../kit/process/repeat.ts'
import type { RecordedCall, ToolCall, ToolCalls } from '../domain/tool-call.ts'

const batchSize = 1_000

const maxWaiting = 100_000

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

/** Written once a second, so a killed process loses the calls of that second. */
export function postgresToolCalls(pool: pg.Pool, reports: LoopReports & { log: Log<'tool_calls.lost'> }) {
  let waiting: ToolCall[] = []
  const store = async () => {
    const lost = Math.max(0, waiting.length - maxWaiting)
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
        // Orders by `tool_calls.id` because `id` is the alias of the caller's ID.
        sql`select id as seq, at, duration_ms as "durationMs", workspace, function_name as "functionName",
            function_id as "functionId", caller_kind as kind, caller_id as id, caller_label as label, credential,
            tool, outcome, code
          from tool_calls where workspace = ${workspace} and function_name = ${functionName}
            and id < ${before ?? Number.MAX_SAFE_INTEGER}
            and (credential is distinct from ${exceptOf ?? null} or tool like 'relay %' or tool = 'access_token')
          order by tool_calls.id desc limit ${limit}`,
      ),
  }
  return {
    ...calls,
    /** Drops weeks in which every call is older, and prepares the next ones. */
    sweep: () => execute(pool, sql`select keep_tool_calls(${keptDays})`),
    async close() {
      await turn.stop()
      await attempt('store-tool-calls', store, reports)
    },
  }
}

/** Keeps the order of the batch, and drops calls of workspaces deleted since. */
const write = (pool: pg.Pool, batch: readonly ToolCall[]) =>
  execute(
    pool,
    sql`insert into tool_calls (at, duration_ms, workspace, function_name, function_id, caller_kind, caller_id,
        caller_label, credential, tool, outcome, code)
      select (c ->> 'at')::timestamptz, (c ->> 'durationMs')::integer, w.name, c ->> 'functionName', c ->> 'functionId',
        c -> 'caller' ->> 'kind', c -> 'caller' ->> 'id', c -> 'caller' ->> 'label', c -> 'caller' ->> 'credential',
        c ->> 'tool', c ->> 'outcome', c ->> 'code'
      from json_array_elements(${JSON.stringify(batch)}::json) with ordinality as batch (c, place)
      join workspaces w on w.name = c ->> 'workspace' order by place`,
  )
