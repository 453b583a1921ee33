import { ApprovalPage, ApprovalQuery } from '../../../contract/control-plane/approvals.ts'
import { GrantProblemPage, GrantProblemQuery } from '../../../contract/control-plane/grant-problems.ts'
import { RedeemedRepair, RepairTicket } from '../../../contract/control-plane/repairs.ts'
import { ToolCallPage, ToolCallQuery } from '../../../contract/control-plane/tool-calls.ts'
import { ToolListApproval, ToolListPage } from '../../../contract/control-plane/tool-lists.ts'
import { EffectivePolicy } from '../../../contract/integrations/tool-policy.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { Workloads } from '../domain/connection.ts'
import type { GrantProblem } from '../domain/grant-problem.ts'
import type { RecordedCall } from '../domain/tool-call.ts'
import type { Place } from '../domain/tool-policy.ts'
import { changeBetween, type ToolList } from '../domain/vendor/tool-list.ts'
import { type ListedApproval, readApprovals } from '../flows/approvals/read-approvals.ts'
import { approveTools, readToolLists } from '../flows/manage-tool-lists.ts'
import { redeemTicket } from '../flows/open-repair.ts'
import { readGrantProblems } from '../flows/read-grant-problems.ts'
import { readToolCalls } from '../flows/record-calls.ts'

type Ports = Parameters<typeof readToolCalls>[0] &
  Parameters<typeof readGrantProblems>[0] &
  Parameters<typeof readApprovals>[0] &
  Parameters<typeof approveTools>[0] &
  Parameters<typeof redeemTicket>[0] & {
    endUserIdOf(callerId: string): Promise<string | undefined>
    workloads: Pick<Workloads, 'findConnection'>
    integrations: { effectivePolicy(at: Place): EffectivePolicy }
    approvalPage(id: string): string
    repairPage(id: string): string
  }

export const gatewayOperations = (ports: Ports): Operation[] => [
  {
    method: 'get',
    path: '/functions/{functionName}/tool-calls',
    scope: 'functions:get',
    summary: 'List the tool calls of a function in the last 30 days, newest first',
    query: ToolCallQuery,
    answers: { 200: ToolCallPage },
    handle: async ({ member: { workspace, caller }, req }): Promise<ToolCallPage> => {
      const { exceptOwn, ...page } = ToolCallQuery.parse(req.query)
      const of = { workspace, functionName: String(req.params.functionName) }
      const exceptOf = exceptOwn ? caller.credential : undefined
      const { data, ...meta } = await readToolCalls(ports, { ...of, exceptOf }, { cursor: undefined, ...page })
      return { data: data.map(showCall), meta }
    },
  },
  {
    method: 'get',
    path: '/functions/{functionName}/tool-lists',
    scope: 'functions:get',
    summary: 'List the approved and pending tools of the MCP servers behind a function',
    answers: { 200: ToolListPage },
    handle: async ({ member, req }): Promise<ToolListPage> => ({
      data: (await readToolLists(ports, member, String(req.params.functionName))).map(showList),
    }),
  },
  {
    method: 'post',
    path: '/functions/{functionName}/tool-lists/approval',
    scope: 'functions:update',
    summary: 'Approve changed tools of an MCP server behind a function',
    body: ToolListApproval,
    answers: { 200: ToolListPage },
    handle: async ({ member, req }): Promise<ToolListPage> => {
      const lists = await approveTools(ports, member, String(req.params.functionName), ToolListApproval.parse(req.body))
      return { data: lists.map(showList) }
    },
  },
  {
    method: 'post',
    path: '/integrations/connections/{connectionName}/repair-tickets',
    scope: 'integrations:update',
    adminOnly: true,
    summary: 'Redeem the ticket with which a person came to the repair page of a connection; single use',
    body: RepairTicket,
    answers: { 200: RedeemedRepair },
    handle: async ({ member: { workspace }, req }): Promise<RedeemedRepair> => {
      const { ticket } = RepairTicket.parse(req.body)
      const at = { workspace, connection: String(req.params.connectionName) }
      const { id, code, scope, functionName, caller, isRemembered } = await redeemTicket(ports, at, ticket)
      const endUserId = caller.kind === 'end_user' ? await ports.endUserIdOf(caller.id) : undefined
      return {
        id,
        page: ports.repairPage(id),
        code,
        ...(scope !== undefined && { scope }),
        function: functionName,
        caller: {
          kind: caller.kind,
          ...(endUserId !== undefined && { endUserId }),
          ...(isRemembered && { isRemembered }),
        },
      }
    },
  },
  {
    method: 'get',
    path: '/integrations/connections/{connectionName}/tool-policy',
    scope: 'integrations:get',
    summary: 'Read what the tool policies allow a connection, and which level decided',
    answers: { 200: EffectivePolicy },
    handle: async ({ member: { workspace }, req }): Promise<EffectivePolicy> => {
      const connection = await ports.workloads.findConnection(workspace, String(req.params.connectionName))
      if (!connection) throw new Failure('resource_unknown', 'No integration connection has this name.')
      return ports.integrations.effectivePolicy(connection)
    },
  },
  {
    method: 'get',
    path: '/approvals',
    scope: 'integrations:list',
    summary: 'List the tool calls that needed an approval in the last 30 days, in all workspaces of the caller',
    query: ApprovalQuery,
    answers: { 200: ApprovalPage },
    handleCaller: async ({ caller, req }): Promise<ApprovalPage> => {
      const { data, ...meta } = await readApprovals(ports, caller, ApprovalQuery.parse(req.query))
      return { data: data.map((approval) => showApproval(approval, ports.approvalPage(approval.id))), meta }
    },
  },
  {
    method: 'get',
    path: '/grant-problems',
    scope: 'integrations:list',
    summary: 'List the grants that third parties rejected in the last 30 days, in all workspaces of the caller',
    query: GrantProblemQuery,
    answers: { 200: GrantProblemPage },
    handleCaller: async ({ caller, req }): Promise<GrantProblemPage> => {
      const { data, ...meta } = await readGrantProblems(ports, caller, GrantProblemQuery.parse(req.query))
      return { data: data.map(showProblem), meta }
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

const showApproval = (approval: ListedApproval, url: string) => {
  const { id, state, createdAt, changedAt, expiresAt, workspace, connection, functionName, tool } = approval
  const { caller, decision, decidedBy } = approval
  return {
    id,
    state,
    ...(decision && { decision }),
    createdAt: createdAt.toISOString(),
    changedAt: changedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    workspace,
    connection,
    function: functionName,
    tool,
    caller: { kind: caller.kind, id: caller.id, name: caller.label },
    ...(decidedBy && { decidedBy: { kind: decidedBy.kind, id: decidedBy.id, name: decidedBy.label } }),
    url,
  }
}

const showProblem = ({ at, workspace, connection, functionName, code, scope }: GrantProblem) => ({
  time: at.toISOString(),
  workspace,
  connection,
  function: functionName,
  code,
  ...(scope !== undefined && { scope }),
})
