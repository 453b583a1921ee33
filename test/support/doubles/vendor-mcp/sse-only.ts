// The transport of 2024-11-05, which the SDK's servers no longer have: one stream for all responses, one address for posts.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { type VendorState, vendorServer } from './vendor-server.ts'

export function sseOnly(state: VendorState) {
  const open = new Map<string, Transport>()
  return async (req: IncomingMessage, res: ServerResponse, body: unknown): Promise<void> => {
    const url = new URL(req.url ?? '', 'http://vendor.invalid')
    if (req.method === 'GET' && url.pathname === '/mcp') {
      const id = randomUUID()
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write(`event: endpoint\ndata: /messages?id=${id}\n\n`)
      const transport: Transport = {
        start: async () => {},
        close: async () => void res.end(),
        send: async (message) => void res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
      }
      open.set(id, transport)
      res.once('close', () => open.delete(id))
      return vendorServer(state).connect(transport)
    }
    const transport = url.pathname === '/messages' ? open.get(url.searchParams.get('id') ?? '') : undefined
    if (req.method !== 'POST' || !transport) return void res.writeHead(url.pathname === '/mcp' ? 405 : 404).end()
    res.writeHead(202).end()
    transport.onmessage?.(body as JSONRPCMessage)
  }
}
