// A vendor's MCP server over HTTP, written with the official SDK and protected by OAuth, correctly or incorrectly.
import { pipeline } from 'node:stream/promises'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import express, { type RequestHandler, type Response } from 'express'
import { listen } from '../../../../src/kit/http/http-server.ts'
import { sendWebResponse, webRequest } from '../../../../src/platform/gateway/http/web-exchange.ts'
import { type AuthorizationServerSwitches, authorizationServer } from './authorization-server.ts'

/** Endpoints that can send a gigabyte. */
export const floods = ['challenge', 'resource_metadata', 'metadata', 'register', 'token'] as const

export type McpServerSwitches = AuthorizationServerSwitches & {
  /** `sessions`: protocol 2025-11-25 with sessions. `stateless`: only protocol 2026-07-28. */
  age?: 'sessions' | 'stateless'
  /** Whether the challenge names the metadata. Otherwise it is at its well-known address. */
  challengeNames?: boolean
  challengedScope?: string
  resourceScopes?: string[]
  flood?: (typeof floods)[number]
}

export type McpServerDouble = Awaited<ReturnType<typeof startMcpServer>>

export async function startMcpServer(switches: McpServerSwitches) {
  let origin = ''
  const mcpUrl = () => `${origin}/mcp`
  const issuer = () => `${origin}/login`
  const authorization = authorizationServer(issuer, mcpUrl, switches)
  const double = {
    tools: ['list_notes'],
    calls: [] as string[],
    /** A scope that tools require. */
    neededScope: undefined as string | undefined,
  }

  const challenge = () =>
    [
      'Bearer error="invalid_token"',
      ...(switches.challengeNames ? [`resource_metadata="${origin}/meta"`] : []),
      ...(switches.challengedScope ? [`scope="${switches.challengedScope}"`] : []),
    ].join(', ')
  const floodIf =
    (name: McpServerSwitches['flood']): RequestHandler =>
    async (_req, res, next) =>
      switches.flood === name ? pour(res) : next()
  const resourceMetadata: RequestHandler = (_req, res) =>
    void res.json({
      resource: mcpUrl(),
      authorization_servers: [issuer()],
      ...(switches.resourceScopes && { scopes_supported: switches.resourceScopes }),
    })

  const app = express()
  app.get(
    switches.challengeNames ? '/meta' : '/.well-known/oauth-protected-resource/mcp',
    floodIf('resource_metadata'),
    resourceMetadata,
  )
  app.get('/.well-known/oauth-authorization-server/login', floodIf('metadata'), (_req, res) => {
    res.json(authorization.metadata())
  })
  app.use('/login/register', floodIf('register'))
  app.use('/login/token', floodIf('token'))
  app.use('/login', authorization.routes)
  const serve = switches.age === 'sessions' ? withSessions(double) : stateless(double)
  app.all('/mcp', floodIf('challenge'), express.json(), async (req, res) => {
    const [, token = ''] = /^Bearer (.+)$/.exec(req.get('authorization') ?? '') ?? []
    if (!authorization.isGood(token)) return void res.status(401).set('WWW-Authenticate', challenge()).end()
    const { neededScope } = double
    const isCovered = neededScope === undefined || authorization.hasScope(token, neededScope)
    if (!isCovered && req.body?.method === 'tools/call') {
      const asks = `Bearer error="insufficient_scope", scope="${neededScope}"`
      return void res.status(403).set('WWW-Authenticate', asks).end()
    }
    await sendWebResponse(await serve(webRequest(req), req.body), res)
  })

  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${server.port}`
  return Object.assign(double, {
    url: mcpUrl(),
    host: `127.0.0.1:${server.port}`,
    authorization,
    /** The entry of the integrations file. With a client it has to name the issuer. */
    entry: (id: string) => ({
      id,
      displayName: 'Notes',
      mcpUrl: mcpUrl(),
      ...(switches.clients === 'static' && { issuer: issuer() }),
    }),
    close: () => server.close(0),
  })
}

type Serve = (request: Request, parsedBody: unknown) => Promise<globalThis.Response>
type Tools = { tools: string[]; calls: string[] }

function mcp(double: Tools): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  for (const tool of double.tools) {
    server.registerTool(tool, { description: `${tool}.`, annotations: { readOnlyHint: true } }, () => {
      double.calls.push(tool)
      return { content: [{ type: 'text', text: 'done' }] }
    })
  }
  return server
}

function stateless(double: Tools): Serve {
  const { fetch } = createMcpHandler(() => mcp(double), { legacy: 'reject' })
  return (request, parsedBody) => fetch(request, { parsedBody })
}

function withSessions(double: Tools): Serve {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request, parsedBody) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request, { parsedBody })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await mcp(double).connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }
}

async function pour(res: Response): Promise<void> {
  res.status(200).type('json')
  await pipeline(endless, res).catch(() => undefined)
}

function* endless() {
  const piece = '{},'.repeat(20_000)
  yield '['
  for (let left = 1024 * 1024 * 1024; left > 0; left -= piece.length) yield piece
}
