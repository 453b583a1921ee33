import { z } from 'zod'
import type { ListedTools, ToolList } from '../../domain/ports/tool-lists.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, time } from '../../http/schemas.ts'
import { approveTools, readToolList } from '../flows/tool-list.ts'

const exampleHash = 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2'
const exampleTool = {
  name: 'search_issues',
  description: 'Searches issues by text.',
  readOnly: true,
  definition: { name: 'search_issues', description: 'Searches issues by text.', inputSchema: { type: 'object' } },
}

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the hash of a list')
  .meta({ description: 'SHA-256 of the tools and instructions. Lists with the same hash are identical.' })

const ToolAnswer = z
  .strictObject({
    name: z.string(),
    description: z.string().optional().meta({ description: 'The server’s description.' }),
    readOnly: z.boolean().meta({ description: 'Whether the server declares the tool read-only.' }),
    definition: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The full definition, as agents receive it over MCP.' }),
  })
  .meta({ id: 'ListedTool', description: 'A tool of a vendor’s own MCP server.', examples: [exampleTool] })

const listed = {
  hash: Hash,
  tools: z.array(ToolAnswer).meta({ description: 'As the server listed them.' }),
  instructions: z.string().optional().meta({ description: 'The server’s instructions for agents.' }),
}

const names = (description: string) => z.array(z.string()).meta({ description })

const exampleApproved = { hash: exampleHash, tools: [exampleTool], at: '2026-11-15T09:00:00.000Z', by: 'first listing' }

const ToolListAnswer = z
  .strictObject({
    connectionId: z.string(),
    seenAt: time.meta({ description: 'When the tools were last listed.' }),
    approved: z
      .strictObject({
        ...listed,
        at: time.meta({ description: 'When agents began to see this list.' }),
        by: z.string().meta({
          description:
            'Who approved the list: a platform account, `first listing`, or `policy` if changes are allowed.',
        }),
      })
      .meta({ description: 'The list that agents see.' }),
    pending: z
      .strictObject({
        ...listed,
        since: time.meta({ description: 'When the change was first seen.' }),
        added: names('Added tools.'),
        removed: names('Removed tools.'),
        changed: names('Tools with a changed definition.'),
        instructionsChanged: z.boolean().meta({ description: 'Whether the server’s instructions changed.' }),
      })
      .optional()
      .meta({
        description:
          'The current list of the server, if it waits for approval. New and changed tools cannot be called until then.',
      }),
  })
  .meta({
    id: 'ToolList',
    description: 'The tools of the MCP server behind a connection: the approved list and any pending change.',
    examples: [
      { connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x', seenAt: '2026-11-15T11:00:00.000Z', approved: exampleApproved },
    ],
  })

const ApprovalBody = z
  .strictObject({ hash: Hash.meta({ description: 'The `hash` of the `pending` list that you reviewed.' }) })
  .meta({ id: 'ToolListApproval', description: 'The change to approve.', examples: [{ hash: exampleHash }] })

const toListed = ({ hash, tools, instructions }: ListedTools) => ({
  hash,
  tools: tools.map(({ description, ...tool }) => ({ ...tool, ...(description !== undefined && { description }) })),
  ...(instructions !== undefined && { instructions }),
})

const answerOf = (connectionId: string, { seenAt, approved, pending }: ToolList): z.input<typeof ToolListAnswer> => ({
  connectionId,
  seenAt: seenAt.toISOString(),
  approved: { ...toListed(approved), at: approved.at.toISOString(), by: approved.by },
  ...(pending && { pending: { ...toListed(pending), since: pending.since.toISOString(), ...pending.change } }),
})

const tag = 'Connections'
const params = { connectionId: Id }

export const toolListRoutes = [
  route({
    method: 'get',
    path: '/connections/{connectionId}/tool-list',
    operationId: 'readToolList',
    client: 'connections.getToolList',
    clientNote: "Returns the tools of the vendor's MCP server: those that agents see and those pending approval.",
    summary: 'Get the tool list',
    description:
      'Returns the tools of the vendor’s own MCP server behind a connection of kind `mcp`. Returns 404 for other connections.',
    tag,
    params,
    answers: { 200: ToolListAnswer },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ ports, caller, params: { connectionId } }) => {
      const list = await readToolList(ports, { connectionId, ...sightOf(caller) })
      return { status: 200, body: answerOf(connectionId, list) }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/tool-list/approval',
    operationId: 'approveToolList',
    client: 'connections.approveToolList',
    clientNote: 'Approves a change by the hash of `pending` in the tool list.',
    summary: 'Approve changed tools',
    description:
      'Makes the `pending` tools available to agents. If the list has changed since you read it, the approval is rejected: read it again.',
    tag,
    params,
    body: ApprovalBody,
    answers: { 200: ToolListAnswer },
    failures: ['connection_disconnected', 'platform_unavailable', 'tool_list_outdated'],
    handle: async ({ ports, caller, actor, params: { connectionId }, body: { hash } }) => {
      const list = await approveTools(ports, { connectionId, ...sightOf(caller), actor, hash })
      return { status: 200, body: answerOf(connectionId, list) }
    },
  }),
]
