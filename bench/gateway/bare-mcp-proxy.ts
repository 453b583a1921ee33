// A minimal MCP proxy: the SDK's client and server with one line between them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { sendWebResponse, webRequest } from '../../src/platform/gateway/http/web-exchange.ts'

const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
const upstream = new URL(`http://127.0.0.1:${process.env.UPSTREAM_PORT}/mcp`)
const headers = { authorization: 'Bearer access-token' }
await client.connect(new StreamableHTTPClientTransport(upstream, { requestInit: { headers } }))

const { fetch } = createMcpHandler(() => {
  const mcp = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } })
  mcp.setRequestHandler('tools/list', () => client.listTools())
  mcp.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => client.callTool(params, { signal }))
  return mcp
})
const server = createServer(async (req, res) => {
  let body = ''
  for await (const piece of req) body += piece
  await sendWebResponse(await fetch(webRequest(req), { parsedBody: JSON.parse(body) }), res)
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
