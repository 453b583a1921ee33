// A control plane that records requests and fails on demand.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express, { type Request, type Response } from 'express'
import type { ApprovalPage } from '../../../src/contract/control-plane/approvals.ts'
import { listen } from '../../../src/kit/http/http-server.ts'
import { sendWebResponse, webRequest } from '../../../src/platform/gateway/http/web-exchange.ts'
import { pendingHash, pinnedTools } from './pinned-tools.ts'

export type SeenRequest = {
  /** Arrival time in milliseconds. */
  at: number
  method: string
  path: string
  workspace: string | undefined
  /** All headers of that name. There must be exactly one. */
  workspaceHeaders: string[]
  traceparent?: string | undefined
  body: Document | undefined
}
type Document = { metadata: { name: string; labels?: Record<string, string> }; spec: Record<string, unknown> }

/** Returns a status to respond with, 'drop' to do the work and cut the response, or 'cut' to only cut the connection. */
export type Fault = (request: SeenRequest, count: number) => Failing | undefined
export type Failing = number | 'drop' | 'cut' | { status: number; retryAfter: number } | { delayMs: number }

/** Undefined if the tool works. Other platforms may send no code or an unknown one. */
type ToolAnswer = (secrets: Record<string, string>) => ToolFailure | undefined
type ToolFailure = { code?: string; text: string }

export const grantRevoked: ToolFailure = {
  code: 'grant_revoked',
  text: 'The connection "x" to Provider needs re-linking.',
}

export type ControlPlaneDouble = Awaited<ReturnType<typeof startControlPlane>>

export async function startControlPlane() {
  const seen: SeenRequest[] = []
  const connections = new Map<string, Document>()
  const functions = new Map<string, Document>()
  const double = {
    seen,
    connections,
    functions,
    fault: undefined as Fault | undefined,
    /** Whether a connection's secrets can be replaced. */
    takesPut: true,
    /** The result of a function's tools, by the secrets of its connection. */
    tool: undefined as ToolAnswer | undefined,
    /** The failure of listing tools of a function that forwards to another server. */
    listing: undefined as (() => ToolFailure) | undefined,
    /** The workspaces visible to our key. Undefined: the key may not list them. */
    workspaces: undefined as string[] | undefined,
    /** Answers relayed requests. */
    relay: (async (_req, res) => void res.end()) as (req: IncomingMessage, res: ServerResponse) => Promise<void>,
    integrations: undefined as string[] | undefined,
    url: '',
  }

  const withFault =
    (act: (req: Request, res: Response) => void | Promise<void>) => async (req: Request, res: Response) => {
      const request = {
        at: Date.now(),
        method: req.method,
        path: req.path,
        workspace: req.get('X-Service-Workspace'),
        workspaceHeaders: req.headersDistinct['x-service-workspace'] ?? [],
        traceparent: req.get('traceparent'),
        body: req.body as Document | undefined,
      }
      seen.push(request)
      const failing = double.fault?.(
        request,
        seen.filter(({ method, path }) => method === request.method && path === request.path).length,
      )
      if (!(await answersWith(failing, res))) await act(req, res)
    }

  /** Returns whether the fault was the whole response. */
  const answersWith = async (failing: ReturnType<NonNullable<typeof double.fault>>, res: Response) => {
    if (failing === 'cut') return res.destroy()
    if (typeof failing === 'number') return res.status(failing).json({ code: failing, error: 'fault' })
    if (typeof failing === 'object' && 'status' in failing) {
      return res.status(failing.status).set('Retry-After', String(failing.retryAfter)).json({ error: 'fault' })
    }
    if (typeof failing === 'object') await new Promise((resolve) => setTimeout(resolve, failing.delayMs))
    if (failing === 'drop') res.json = () => res.destroy() as Response
    return undefined
  }

  const resources = (
    path: string,
    store: Map<string, Document>,
    answer: (key: string, document: Document) => unknown,
  ) => {
    const keyOf = (req: Request, name: unknown) => `${req.get('X-Service-Workspace')}/${name}`
    app.post(
      path,
      withFault((req, res) => {
        const key = keyOf(req, req.body.metadata.name)
        if (store.has(key)) return void res.status(409).json({ code: 409, error: 'name taken' })
        store.set(key, req.body)
        res.json(answer(key, req.body))
      }),
    )
    app.get(
      `${path}/:name`,
      withFault((req, res) => {
        const key = keyOf(req, req.params.name)
        const found = store.get(key)
        if (!found) return void res.status(404).json({ code: 404, error: 'missing' })
        res.json(answer(key, found))
      }),
    )
    app.put(
      `${path}/:name`,
      withFault((req, res) => {
        const key = keyOf(req, req.params.name)
        if (!double.takesPut && store === connections) return void res.status(405).json({ code: 405, error: 'no PUT' })
        if (!store.has(key)) return void res.status(404).json({ code: 404, error: 'missing' })
        store.set(key, req.body)
        res.json(answer(key, req.body))
      }),
    )
    app.delete(
      `${path}/:name`,
      withFault((req, res) => {
        const key = keyOf(req, req.params.name)
        const found = store.get(key)
        if (!found) return void res.status(404).json({ code: 404, error: 'missing' })
        if (store === connections && isUsed(key)) return void res.status(409).json({ code: 409, error: 'in use' })
        store.delete(key)
        res.json(answer(key, found))
      }),
    )
  }

  const isUsed = (key: string) => {
    const [workspace, name] = key.split('/')
    return [...functions].some(
      ([at, { spec }]) => at.startsWith(`${workspace}/`) && (spec.integrationConnections as unknown[]).includes(name),
    )
  }

  const useTool = ({ workspace, name }: { workspace: string; name: string }) => {
    const [connection] = (functions.get(`${workspace}/${name}`)?.spec.integrationConnections ?? []) as string[]
    const secrets = connections.get(`${workspace}/${connection}`)?.spec.secret as Record<string, string> | undefined
    const failure = secrets ? double.tool?.(secrets) : { text: 'There is no such connection.' }
    if (!failure) return { content: [], isError: false }
    const { code, text } = failure
    return { content: [{ type: 'text' as const, text }], isError: true, ...(code ? { _meta: { code } } : {}) }
  }

  const app = express()
  app.post('/:workspace/functions/:name/access-tokens/:host', (req, res) => double.relay(req, res))
  app.all('/:workspace/functions/:name/relay/*path', (req, res) => double.relay(req, res))
  app.get('/healthz', (_req, res) => void res.json({ status: 'alive' }))
  app.use(express.json())
  for (const list of ['workspaces', 'integrations'] as const) {
    app.get(`/v0/${list}`, (_req, res) => {
      const names = double[list]
      if (names) return void res.json(names.map((name) => ({ name })))
      res.status(403).json({ code: 403, error: 'insufficient_scope', message: 'no' })
    })
  }
  resources('/v0/integrations/connections', connections, (_key, document) => document)
  resources('/v0/functions', functions, (key, document) => {
    const [workspace, name] = key.split('/')
    return { ...document, metadata: { ...document.metadata, url: `${double.url}/${workspace}/functions/${name}` } }
  })
  const revoked = new Set<string>()
  const approved = new Set<string>()
  const grant = {
    id: 'fg_1',
    account: 'user',
    app: { clientId: 'c', name: 'App', redirectsTo: 'an app on this device' },
  }
  app.post(
    '/v0/functions/:name/logins',
    withFault(async (req, res) => {
      const mcpUrl = `${double.url}/acme/functions/${req.params.name}/mcp`
      res.json({ url: `${double.url}/login`, mcpUrl, expiresAt: new Date().toISOString() })
    }),
  )
  app.delete(
    '/v0/functions/:name/logins',
    withFault(async (_req, res) => void res.json({ rememberedBrowsers: 0 })),
  )
  app.get(
    '/v0/functions/:name/grants',
    withFault(async (req, res) => {
      const granted = { ...grant, scopes: ['tools:read'], createdAt: new Date().toISOString() }
      res.json(revoked.has(String(req.params.name)) ? [] : [granted])
    }),
  )
  app.delete(
    '/v0/functions/:name/grants/:grant',
    withFault(async (req, res) => {
      revoked.add(String(req.params.name))
      res.json(grant)
    }),
  )
  app.get(
    '/v0/approvals',
    withFault(async (req, res) => {
      const { connection } = req.query
      const data = typeof connection === 'string' ? [approval(connection)] : []
      res.json({ data, meta: { hasMore: false, nextCursor: '' } } satisfies ApprovalPage)
    }),
  )
  app.get(
    '/v0/functions/:name/tool-lists',
    withFault(async (req, res) => void res.json(pinnedTools(approved.has(String(req.params.name))))),
  )
  app.post(
    '/v0/functions/:name/tool-lists/approval',
    withFault(async (req, res) => {
      if (req.body.hash !== pendingHash) return void res.status(409).json({ error: 'conflict' })
      approved.add(String(req.params.name))
      res.json(pinnedTools(true))
    }),
  )
  app.all(
    '/:workspace/functions/:name/mcp',
    withFault(async (req, res) => {
      if (!functions.has(`${req.params.workspace}/${req.params.name}`)) return void res.status(404).end()
      if (req.body?.method === 'tools/list' && double.listing) {
        const { code, text } = double.listing()
        const error = { code: -32_000, message: text, data: { code } }
        return void res.json({ jsonrpc: '2.0', id: req.body.id, error })
      }
      const { fetch } = createMcpHandler(() => {
        const server = new McpServer({ name: 'double', version: '1.0.0' })
        server.registerTool('list_files', { description: 'Lists files.' }, () => useTool(req.params as never))
        return server
      })
      await sendWebResponse(await fetch(webRequest(req), { parsedBody: req.body }), res)
    }),
  )

  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  double.url = `http://127.0.0.1:${server.port}`
  return Object.assign(double, {
    posts: () => seen.filter(({ method, path }) => method === 'POST' && path.startsWith('/v0/')),
    close: () => server.close(0),
  })
}

const approval = (connection: string): ApprovalPage['data'][number] => ({
  id: 'hJ0YkzS1q8mVbW3cR5tXpA',
  state: 'waiting',
  createdAt: '2026-11-15T11:00:00.000Z',
  changedAt: '2026-11-15T11:00:00.000Z',
  expiresAt: '2026-11-15T12:00:00.000Z',
  workspace: 'acme',
  connection,
  function: connection,
  tool: 'send_message',
  caller: { kind: 'end_user', id: 'fu_1', name: 'user@acme.example' },
  url: 'https://auth.platform.example/oauth/approval/hJ0YkzS1q8mVbW3cR5tXpA',
})
