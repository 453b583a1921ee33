// A server of the SDK alone, with one tool that answers at once.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const server = createServer(async (req, res) => {
  const mcp = new McpServer({ name: 'bare', version: '1.0.0' })
  mcp.registerTool('hello', { description: 'Says hello.' }, () => ({ content: [{ type: 'text', text: 'Hello' }] }))
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.on('close', () => void mcp.close())
  await mcp.connect(transport as Parameters<McpServer['connect']>[0])
  await transport.handleRequest(req, res)
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
