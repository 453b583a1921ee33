import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import express, { Router } from 'express'
import { requireScope } from '../../shared/domain/permission.ts'
import { credentialOf } from '../../shared/http/credential.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { CallTool } from '../flows/call-tool.ts'
import type { OpenFunction } from '../flows/open-function.ts'

export type McpFlows = { openFunction(workspace: string, name: string): Promise<OpenFunction>; callTool: CallTool }

/** MCP servers of functions: each request is served on its own, so any process can answer any of them. */
export function mcpRoutes({ openFunction, callTool }: McpFlows, { headers, identify, enter }: Guards): Router {
  const readBody = express.json({ limit: '1mb' })
  return Router().all('/:workspace/functions/:name/mcp', async (req, res, next) => {
    const caller = await identify(credentialOf(req, headers))
    requireScope(caller, 'functions:get')
    const { workspace } = await enter(caller, req.params.workspace)
    const opened = await openFunction(workspace, req.params.name)
    readBody(req, res, (error?: unknown) => {
      if (error) return next(error)
      serve(opened, callTool, req, res).catch(next)
    })
  })
}

async function serve(opened: OpenFunction, callTool: CallTool, req: express.Request, res: express.Response) {
  const server = mcpServer(opened, callTool)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.once('close', () => void server.close())
  // The SDK's own transport does not satisfy its interface under exact optional properties.
  await server.connect(transport as Parameters<Server['connect']>[0])
  await transport.handleRequest(req, res, req.body)
}

function mcpServer({ name, displayName, tools }: OpenFunction, callTool: CallTool): Server {
  const server = new Server({ name, title: displayName, version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, tool: { description, inputSchema } }) => ({ name, description, inputSchema })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const open = tools.find((candidate) => candidate.name === params.name)
    const unknown = { text: `There is no tool ${params.name}.`, isError: true }
    const { text, isError } = open ? await callTool(open, params.arguments ?? {}) : unknown
    return { content: [{ type: 'text', text }], isError }
  })
  return server
}
