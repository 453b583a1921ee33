import { z } from 'zod'
import type { ListedTools, ToolList } from '../../domain/ports/tool-lists.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, time } from '../../http/schemas.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'

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
  .meta({ description: 'SHA-256 of the tools and instructions: a list with the same hash is the same list.' })

const ToolAnswer = z
  .strictObject({
    name: z.string(),
    description: z.string().optional().meta({ description: 'What the server says of it.' }),
    readOnly: z.boolean().meta({ description: 'Whether the server says that it changes nothing.' }),
    definition: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The whole definition, as agents would get it over MCP.' }),
  })
  .meta({ id: 'ListedTool', description: 'A tool of a vendor’s own MCP server.', examples: [exampleTool] })

const listed = {
  hash: Hash,
  tools: z.array(ToolAnswer).meta({ description: 'As the server listed them.' }),
  instructions: z.string().optional().meta({ description: 'What the server tells agents about itself.' }),
}

const names = (description: string) => z.array(z.string()).meta({ description })

const exampleApproved = { hash: exampleHash, tools: [exampleTool], at: '2026-11-15T09:00:00.000Z', by: 'first listing' }

const ToolListAnswer = z
  .strictObject({
    connectionId: z.string(),
    seenAt: time.meta({ description: 'When the server was last asked.' }),
    approved: z
      .strictObject({
        ...listed,
        at: time.meta({ description: 'Since when agents see it.' }),
        by: z.string().meta({
          description:
            'Who approved it: an account of the platform, `first listing`, or `policy` where changes are allowed.',
        }),
      })
      .meta({ description: 'What agents see.' }),
    pending: z
      .strictObject({
        ...listed,
        since: time.meta({ description: 'When it was first seen.' }),
        added: names('Tools that were not there before.'),
        removed: names('Tools that are there no more.'),
        changed: names('Tools whose definition is another one.'),
        instructionsChanged: z
          .boolean()
          .meta({ description: 'Whether the instructions of the server are other ones.' }),
      })
      .optional()
      .meta({
        description:
          'What the server lists now, if it waits for approval. Until then its new and changed tools cannot be called.',
      }),
  })
  .meta({
    id: 'ToolList',
    description: 'The tools of the MCP server behind a connection: what agents see, and what waits for approval.',
    examples: [
      { connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x', seenAt: '2026-11-15T11:00:00.000Z', approved: exampleApproved },
    ],
  })

const ApprovalBody = z
  .strictObject({ hash: Hash.meta({ description: 'The `hash` of `pending` that you have reviewed.' }) })
  .meta({ id: 'ToolListApproval', description: 'Which change is approved.', examples: [{ hash: exampleHash }] })

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

export type ToolListApi = { flows: Pick<ConnectionFlows, 'readToolList' | 'approveTools'> }

const tag = 'Connections'
const params = { connectionId: Id }

export const toolListRoutes = ({ flows }: ToolListApi) => [
  route({
    method: 'get',
    path: '/connections/{connectionId}/tool-list',
    operationId: 'readToolList',
    summary: 'Get the tool list',
    description:
      'The tools of the vendor’s own MCP server behind a connection of kind `mcp`. A connection of another kind has no such list, and answers 404.',
    tag,
    params,
    answers: { 200: ToolListAnswer },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ caller, params: { connectionId } }) => {
      const list = await flows.readToolList({ connectionId, ...sightOf(caller) })
      return { status: 200, body: answerOf(connectionId, list) }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/tool-list/approval',
    operationId: 'approveToolList',
    summary: 'Approve changed tools',
    description:
      'Agents see and call the tools of `pending` from then on. A change that came after you looked is not approved: read the list again.',
    tag,
    params,
    body: ApprovalBody,
    answers: { 200: ToolListAnswer },
    failures: ['connection_disconnected', 'platform_unavailable', 'tool_list_outdated'],
    handle: async ({ caller, actor, params: { connectionId }, body: { hash } }) => {
      const list = await flows.approveTools({ connectionId, ...sightOf(caller), actor, hash })
      return { status: 200, body: answerOf(connectionId, list) }
    },
  }),
]
