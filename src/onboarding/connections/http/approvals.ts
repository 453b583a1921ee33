import { z } from 'zod'
import { approvalDecisions, approvalStates } from '../../domain/approval.ts'
import type { Approval } from '../../domain/ports/connections.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, listOf, time } from '../../http/schemas.ts'
import { readApprovals } from '../flows/read-approvals.ts'

const ApprovalAnswer = z
  .strictObject({
    id: z.string(),
    tool: z.string().meta({ description: 'The name of the tool, or `relay` and the method. Arguments are not shown.' }),
    state: z.enum(approvalStates).meta({
      description:
        '`waiting`: for a decision. `allowed_once` and `allowed_for_an_hour`: until `expiresAt`. `used`: the call that was allowed once was sent. `expired`: nobody decided, or the permission has ended.',
    }),
    decision: z.enum(approvalDecisions).optional().meta({ description: 'Set when somebody has decided.' }),
    caller: z.string().meta({ description: 'The account or key that made the call.' }),
    decidedBy: z.string().optional().meta({ description: 'The account that decided.' }),
    url: z.url().meta({ description: 'The page for the people who may decide. It grants nothing.' }),
    createdAt: time,
    expiresAt: time,
  })
  .meta({
    id: 'Approval',
    description: 'A tool call that the operator’s policy lets a person decide on.',
    examples: [
      {
        id: 'hJ0YkzS1q8mVbW3cR5tXpA',
        tool: 'send_message',
        state: 'waiting',
        caller: 'user@acme.example',
        url: 'https://auth.platform.example/oauth/approval/hJ0YkzS1q8mVbW3cR5tXpA',
        createdAt: '2026-11-15T11:00:00.000Z',
        expiresAt: '2026-11-15T12:00:00.000Z',
      },
    ],
  })

const approvalAnswer = (approval: Approval): z.input<typeof ApprovalAnswer> => {
  const { id, tool, state, decision, caller, decidedBy, url, createdAt, expiresAt } = approval
  return {
    id,
    tool,
    state,
    ...(decision && { decision }),
    caller,
    ...(decidedBy !== undefined && { decidedBy }),
    url,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

export const approvalRoutes = [
  route({
    method: 'get',
    path: '/connections/{connectionId}/approvals',
    operationId: 'listApprovals',
    client: 'connections.listApprovals',
    clientNote: 'Lists the tool calls of the last 30 days that a person had to allow, newest first.',
    summary: 'List approvals',
    description:
      'Tool calls of the last 30 days that the operator’s policy lets a person decide on, newest first. Decisions are made on the page at `url` only.',
    tag: 'Connections',
    params: { connectionId: Id },
    answers: { 200: listOf(ApprovalAnswer) },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ ports, caller, params: { connectionId } }) => {
      const approvals = await readApprovals(ports, { connectionId, ...sightOf(caller) })
      return { status: 200, body: { data: approvals.map(approvalAnswer) } }
    },
  }),
]
