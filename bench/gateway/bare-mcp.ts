// A server of the SDK with one tool that responds immediately.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { sendWebResponse, webRequest } from '../../src/platform/gateway/http/web-exchange.ts'

const { fetch } = createMcpHandler(() => {
  const mcp = new McpServer({ name: 'bare', version: '1.0.0' })
  mcp.registerTool('hello', { description: 'Says hello.' }, () => ({ content: [{ type: 'text', text: 'Hello' }] }))
  return mcp
})
const server = createServer(async (req, res) => {
  let body = ''
  for await (const piece of req) body += piece
  await sendWebResponse(await fetch(webRequest(req), { parsedBody: JSON.parse(body) }), res)
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
