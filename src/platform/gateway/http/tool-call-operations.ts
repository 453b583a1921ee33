import { ToolCallPage, ToolCallQuery } from '../../../contract/control-plane/tool-calls.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { RecordedCall } from '../domain/tool-call.ts'
import type { ReadToolCalls } from '../flows/read-tool-calls.ts'

export const toolCallOperations = (readToolCalls: ReadToolCalls): Operation[] => [
  {
    method: 'get',
    path: '/functions/{functionName}/tool-calls',
    scope: 'functions:get',
    summary: 'List who called which tool of a function in the last 30 days, newest first',
    query: ToolCallQuery,
    answers: { 200: ToolCallPage },
    handle: async ({ member: { workspace, caller }, req }): Promise<ToolCallPage> => {
      const { exceptOwn, ...page } = ToolCallQuery.parse(req.query)
      const of = { workspace, functionName: String(req.params.functionName) }
      const exceptOf = exceptOwn ? caller.credential : undefined
      const { data, ...meta } = await readToolCalls({ ...of, exceptOf }, { cursor: undefined, ...page })
      return { data: data.map(showCall), meta }
    },
  },
]

const showCall = ({ at, tool, outcome, code, durationMs, caller }: RecordedCall) => ({
  time: at.toISOString(),
  tool,
  outcome,
  ...(code !== undefined && { code }),
  durationMs,
  caller: { kind: caller.kind, id: caller.id, name: caller.label, credential: caller.credential },
})
