import { type Caller, isPerson, type Member } from '../../../shared/domain/caller.ts'
import type { Approvals } from '../../domain/approvals/approval.ts'
import { pageCardUri, pageToolName, rungOf } from '../../domain/clients/declared.ts'
import { failed, type McpTool, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'
import type { Repairs } from '../../domain/repair.ts'
import type { Exchange } from '../../domain/vendor/vendor-mcp.ts'

export type PagePorts = {
  repairs: Pick<Repairs, 'find'>
  approvals: Pick<Approvals, 'find'>
  repairPage(id: string): string
  approvalPage(id: string): string
}

const pageTool: McpTool = {
  name: pageToolName,
  description:
    'Shows the user a button that opens a page. Call it with the URL of a result that asks the user to open one.',
  inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  annotations: { readOnlyHint: true, destructiveHint: false },
  _meta: { ui: { resourceUri: pageCardUri } },
}

/** For clients that show cards. A card belongs to a tool, so a tool of its own shows one where a call needs a person. */
export function showPages(ports: PagePorts, mcp: OpenMcp, { workspace, caller }: Member): OpenMcp {
  if (!isPerson(caller)) return mcp
  const shows = ({ client }: Exchange) => client !== undefined && rungOf(client, caller) === 'card'
  return {
    ...mcp,
    async listTools(exchange) {
      const tools = await mcp.listTools(exchange)
      return shows(exchange) ? [...tools, pageTool] : tools
    },
    isReading: (tool, args) => tool === pageToolName || mcp.isReading(tool, args),
    async call(tool, args, exchange) {
      if (tool !== pageToolName) return mcp.call(tool, args, exchange)
      return shows(exchange) ? shown(ports, { workspace, functionId: mcp.id, caller }, String(args.url)) : undefined
    },
  }
}

type Of = { workspace: string; functionId: string; caller: Caller }

/** Only a page that a call of this caller led to: a model may have the URL from anywhere. */
async function shown(ports: PagePorts, of: Of, url: string): Promise<ToolResult> {
  const id = url.split('/').at(-1) ?? ''
  const message = (await repairMessage(ports, of, id, url)) ?? (await approvalMessage(ports, of, id, url))
  if (message === undefined) return failed('No call of this user asked for this page.', 'arguments_invalid')
  const content = [{ type: 'text', text: `The user sees a button that opens ${url}. Wait until they are done.` }]
  return { forwarded: { content, structuredContent: { message, url } }, isError: false }
}

async function repairMessage({ repairs, repairPage }: PagePorts, of: Of, id: string, url: string) {
  if (repairPage(id) !== url) return undefined
  const repair = await repairs.find(id)
  const isOwn =
    repair?.workspace === of.workspace && repair.functionId === of.functionId && repair.caller.id === of.caller.id
  return isOwn ? `Connect the account of ${repair.functionName}, so that the call can continue.` : undefined
}

async function approvalMessage({ approvals, approvalPage }: PagePorts, of: Of, id: string, url: string) {
  if (approvalPage(id) !== url) return undefined
  const approval = await approvals.find(id)
  const isOwn = approval?.functionId === of.functionId && approval.caller.id === of.caller.id
  return isOwn ? `Decide on ${approval.tool} of ${approval.app}, so that the call can continue.` : undefined
}
