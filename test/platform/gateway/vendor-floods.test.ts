// Vendors' MCP servers that send far too much or never end.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { vendorMcp } from '../../../src/platform/gateway/adapters/vendor-mcp/vendor-mcp.ts'
import { ThirdPartyError } from '../../../src/platform/gateway/domain/connection.ts'
import type { JsonObject } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'

/** Written by hand, because no library would send this. Counts resumptions. */
let vendor: {
  server: Server
  host: string
  onCall(id: number, res: ServerResponse): void
  resumed: number
}
let forwarder: ReturnType<typeof vendorMcp>

beforeEach(async () => {
  const server = createServer(async (req, res) => answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  vendor = { server, host, onCall: () => undefined, resumed: 0 }
  forwarder = vendorMcp({ allow: [host], silentMs: 50_000, maxMs: 50_000, connectMs: 50_000 })
})

afterEach(async () => {
  await forwarder.close()
  vendor.server.closeAllConnections()
  await new Promise((resolve) => vendor.server.close(resolve))
})

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = ''
  for await (const piece of req) body += piece
  if (req.method === 'GET') {
    vendor.resumed++
    return sendEvents(res, endless)
  }
  if (req.method !== 'POST') return void res.writeHead(405).end()
  const { id, method } = JSON.parse(body) as { id?: number; method?: string }
  if (method === 'tools/call') return vendor.onCall(id ?? 0, res)
  if (method === undefined || id === undefined) return void res.writeHead(202).end()
  const opened = { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'v', version: '1' } }
  const error = { code: -32_601, message: 'unknown' }
  sendJson(res, { jsonrpc: '2.0', id, ...(method === 'initialize' ? { result: opened } : { error }) })
}

/** For responses that never end. */
async function waitBriefly() {
  await forwarder.close()
  forwarder = vendorMcp({ allow: [vendor.host], silentMs: 3_000, maxMs: 5_000, connectMs: 50_000 })
}

/** An unfinished response that asks to be resumed at once. */
const endless = 'retry: 0\nid: 1\ndata:\n\n'

const sendJson = (res: ServerResponse, value: unknown) =>
  void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const sendEvents = (res: ServerResponse, text: string) =>
  void res.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const done = (id: number) => ({ id, result: { content: [{ type: 'text', text: 'done' }] } })

const call = () =>
  forwarder.callTool(
    {
      url: `http://${vendor.host}/mcp`,
      connection: { id: 'c1', version: 1, name: 'linked' },
      secrets: new Secret([]),
      token: async () => new Secret('token'),
    },
    { name: 'echo', inputSchema: {} },
    {},
    { signal: new AbortController().signal },
  )

test('Z51: rejects a response with very many messages', async () => {
  vendor.onCall = (id, res) =>
    sendEvents(res, event({ method: 'notifications/tools/list_changed' }).repeat(5_000) + event(done(id)))

  const failure = await call().catch((error) => error)

  expect(failure).toEqual(new ThirdPartyError('It sent too many messages.'))
})

test('Z51: rejects many messages in one text', async () => {
  const note = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
  vendor.onCall = (id, res) => sendJson(res, [...Array(1_000).fill(note), { jsonrpc: '2.0', ...done(id) }])

  const failure = await call().catch((error) => error)

  expect(failure).toEqual(new ThirdPartyError('It sent too many messages.'))
})

test('Z53: an endless response is not resumed when no call waits for it', async () => {
  await waitBriefly()
  vendor.onCall = (_id, res) => sendEvents(res, endless)

  const failure = await call().catch((error) => error)
  const resumed = vendor.resumed
  vendor.onCall = (id, res) => sendJson(res, { jsonrpc: '2.0', ...done(id) } as JsonObject)
  for (let calls = 0; calls < 50; calls++) await call()

  expect(failure).toEqual(new ThirdPartyError('It did not answer in time.'))
  expect(resumed).toBeLessThan(10)
  expect(vendor.resumed - resumed).toBeLessThan(10)
})

test('Z53: a server that asks for a retry in weeks leaves nothing behind', async () => {
  await waitBriefly()
  vendor.onCall = (_id, res) => sendEvents(res, 'retry: 2000000000\nid: 1\ndata:\n\n')
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await call().catch(() => undefined)
  const before = timers()

  await Promise.all(Array.from({ length: 100 }, () => call().catch(() => undefined)))

  expect(timers() - before).toBeLessThan(50)
})
