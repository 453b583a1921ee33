// A vendor's remote MCP server behind OAuth, written with the official SDK: of either protocol version, or with only the
// transport of 2024-11-05. Misbehaves on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { sendWebResponse, webRequest } from '../../../src/platform/gateway/http/web-exchange.ts'
import { sseOnly } from './vendor-mcp/sse-only.ts'
import { type VendorState, vendorServer, vendorState } from './vendor-mcp/vendor-server.ts'

export type VendorDouble = Awaited<ReturnType<typeof startVendorMcp>>
export type VendorAge = 'modern' | 'sessions' | 'sse'

export async function startVendorMcp(age: VendorAge = 'modern') {
  const state = vendorState()
  const answer = { modern: stateless, sessions: withSessions, sse: sseOnly }[age](state)
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req)
    if (req.url === '/token') return answerToken(state, body, res)
    const { method = '', headers } = req
    state.requests.push({ method, authorization: headers.authorization, headers, body })
    if (await misbehaves(state, req, res, body)) return
    if (req.headers.authorization !== `Bearer ${state.accessToken}`) return unauthorized(res)
    await answer(req, res, body === '' ? undefined : JSON.parse(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`
  return {
    state,
    host,
    url,
    integration: { id: 'vendor', displayName: 'Vendor', mcpUrl: `${url}/mcp`, toolChanges: 'hold' },
    /** The metadata discovered when the connection was linked. */
    config: {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      token_endpoint_auth_method: 'client_secret_post',
      resource: `${url}/mcp`,
      scope: 'tools',
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of req) body += piece
  return body
}

function answerToken(state: VendorState, body: string, res: ServerResponse): void {
  const asked = Object.fromEntries(new URLSearchParams(body))
  state.tokenRequests.push(asked)
  res.setHeader('content-type', 'application/json')
  if (state.forgotClient) return void res.writeHead(401).end('{"error":"invalid_client"}')
  if (asked.refresh_token !== state.refreshToken) return void res.writeHead(400).end('{"error":"invalid_grant"}')
  state.accessToken = `vendor-access-${state.tokenRequests.length}`
  state.refreshToken = `vendor-refresh-${state.tokenRequests.length + 1}`
  res.end(JSON.stringify({ access_token: state.accessToken, refresh_token: state.refreshToken, expires_in: 3_600 }))
}

const unauthorized = (res: ServerResponse) =>
  void res.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end('{"error":"CANARY-body"}')

/** Returns whether a fault replaced the response. */
async function misbehaves({ fault }: VendorState, req: IncomingMessage, res: ServerResponse, body: string) {
  if (fault === 'never_lists') return body.includes('tools/list')
  if (fault === undefined || !body.includes('tools/call')) return false
  if (typeof fault === 'number') res.writeHead(fault, { 'content-type': 'text/html' }).end('CANARY-body')
  else if (fault === 'insufficient_scope')
    res.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' }).end()
  else if (fault === 'redirect') res.writeHead(307, { location: 'http://127.0.0.2:9/stolen' }).end()
  else if (fault === 'compressed')
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')
  else if (fault === 'cut') req.socket.destroy()
  else if (fault === 'ends_early') res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
  else if (fault === 'unknown_lines')
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end('x\n'.repeat(10_000))
  else if (fault === 'nonsense')
    res.writeHead(200, { 'content-type': 'application/json' }).end(nonsense(JSON.parse(body).id))
  else await flood(res, fault, JSON.parse(body).id)
  return true
}

const nonsense = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'dance' }] } })

const gigabyte = 2 ** 30

/** Up to a gigabyte: one JSON text, one event, or an array of a million invalid messages. */
async function flood(res: ServerResponse, how: 'huge_json' | 'huge_event' | 'mistakes', id: unknown): Promise<void> {
  const isEvent = how === 'huge_event'
  res.writeHead(200, { 'content-type': isEvent ? 'text/event-stream' : 'application/json' })
  res.write(`${isEvent ? 'data: ' : ''}{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[0`)
  const block = how === 'mistakes' ? ',1'.repeat(500_000) : 'x'.repeat(1024 * 1024)
  const blocks = how === 'mistakes' ? 3 : gigabyte / block.length
  for (let sent = 0; sent < blocks && !res.destroyed; sent++) {
    if (!res.write(block)) await new Promise<void>((resolve) => res.once('drain', resolve).once('close', resolve))
  }
  res.end(how === 'mistakes' ? ']}}' : '')
}

type Answer = (req: IncomingMessage, res: ServerResponse, body: unknown) => Promise<void>

function stateless(state: VendorState): Answer {
  const handler = createMcpHandler(() => vendorServer(state), { legacy: 'reject' })
  return async (req, res, parsedBody) => {
    const leaving = new AbortController()
    res.once('close', () => leaving.abort())
    await sendWebResponse(await handler.fetch(webRequest(req, leaving.signal), { parsedBody }), res)
  }
}

function withSessions(state: VendorState): Answer {
  return async (req, res, parsedBody) => {
    const given = String(req.headers['mcp-session-id'] ?? '')
    const known = state.sessions.get(given)
    if (given !== '' && !known) return void res.writeHead(404).end()
    const transport = known ?? (await openSession(state))
    await sendWebResponse(await transport.handleRequest(webRequest(req), { parsedBody }), res)
  }
}

async function openSession(state: VendorState): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => `vendor-session-${++state.sessionsOpened}`,
    onsessioninitialized: (id) => void state.sessions.set(id, transport),
    onsessionclosed: (id) => void state.sessions.delete(id),
  })
  await vendorServer(state).connect(transport)
  return transport
}
