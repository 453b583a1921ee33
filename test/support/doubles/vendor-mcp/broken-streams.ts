// A vendor's MCP server without the SDK that breaks off every response to a call. Events have IDs, so clients can resume.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function brokenStreams() {
  const seen = { askedAfter: [] as string[], calls: 0 }
  let owed: unknown
  const server = createServer(async (req, res) => {
    if (req.method === 'GET') {
      seen.askedAfter.push(String(req.headers['last-event-id']))
      const result = { content: [{ type: 'text', text: 'the rest' }] }
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      return void res.end(`id: event-2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: owed, result })}\n\n`)
    }
    const { id, method } = JSON.parse((await bodyOf(req)) || '{}')
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'broken', version: '1' },
      }
      return void res.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    if (method === 'tools/call') {
      seen.calls++
      owed = id
      return void res.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 20\nid: event-1\ndata: \n\n')
    }
    if (id === undefined) return void res.writeHead(202).end()
    const error = { code: -32_601, message: 'Method not found' }
    res.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    get askedAfter() {
      return seen.askedAfter
    },
    get calls() {
      return seen.calls
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const json = { 'content-type': 'application/json' }

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of req) body += piece
  return body
}
