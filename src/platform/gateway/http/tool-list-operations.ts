import { ToolListApproval, ToolListPage } from '../../../contract/control-plane/tool-lists.ts'
import type { Operation } from '../../shared/http/operation.ts'
import { changeBetween, type ToolList } from '../domain/vendor/tool-list.ts'
import type { ManageToolLists } from '../flows/manage-tool-lists.ts'

export const toolListOperations = ({ read, approve }: ManageToolLists): Operation[] => [
  {
    method: 'get',
    path: '/functions/{functionName}/tool-lists',
    scope: 'functions:get',
    summary: 'List the tools of the MCP servers behind a function: what agents see, and what waits for approval',
    answers: { 200: ToolListPage },
    handle: async ({ member, req }): Promise<ToolListPage> => ({
      data: (await read(member, String(req.params.functionName))).map(showList),
    }),
  },
  {
    method: 'post',
    path: '/functions/{functionName}/tool-lists/approval',
    scope: 'functions:update',
    summary: 'Approve changed tools of an MCP server behind a function, so that agents see and call them',
    body: ToolListApproval,
    answers: { 200: ToolListPage },
    handle: async ({ member, req }): Promise<ToolListPage> => {
      const lists = await approve(member, String(req.params.functionName), ToolListApproval.parse(req.body))
      return { data: lists.map(showList) }
    },
  },
]

function showList({ connection, integration, position, seenAt, approved, pending }: ToolList) {
  return {
    connection,
    integration,
    position,
    seenAt: seenAt.toISOString(),
    approved: { ...listed(approved), at: approved.at.toISOString(), by: approved.by },
    ...(pending && {
      pending: { ...listed(pending), since: pending.since.toISOString(), change: changeBetween(approved, pending) },
    }),
  }
}

const listed = ({ hash, tools, instructions }: ToolList['approved'] | NonNullable<ToolList['pending']>) => ({
  hash,
  tools: tools as ToolListPage['data'][number]['approved']['tools'],
  ...(instructions !== undefined && { instructions }),
})
