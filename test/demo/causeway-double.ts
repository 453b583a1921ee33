// Doubles of Causeway's API and of one MCP function.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { listen } from '../../src/kit/http/http-server.ts'
import { sendWebResponse, webRequest } from '../../src/platform/gateway/http/web-exchange.ts'
import { waitFor } from '../support/oracles/wait-for.ts'

export const apiKey = 'key-of-the-portal'
export const platformKey = 'key-of-the-workspace'

type MintedSession = { id: string; completionChallenge: string; returnUrl: string; endUser: { id: string } }

export async function startCauseway() {
  const minted: MintedSession[] = []
  const completions: Array<{ id: string; completionCode: string; completionVerifier: string }> = []
  const links = new Map<string, object>()
  let connections: object[] = []
  let continueUrl: string | undefined
  let mintsTogether = 0
  const app = express()
  app.use('/api', (req, res, next) => {
    if (req.get('authorization') === `Bearer ${apiKey}`) return next()
    res.status(401).type('application/problem+json').send({ title: 'Not signed in', status: 401 })
  })
  app.get('/api/v1/integrations', (_req, res) => {
    res.json({ data: integrations })
  })
  app.get('/api/v1/connections', (_req, res) => {
    res.json({ data: connections })
  })
  app.get('/api/v1/connections/:id', (_req, res) => {
    res.json(connections[0])
  })
  app.post('/api/v1/connections/:id/health-checks', (_req, res) => {
    res.status(201).json({ outcome: 'healthy' })
  })
  app.get('/api/v1/links/:id', (req, res) => {
    res.json({
      id: req.params.id,
      tenantId: 'acme',
      integrationId: 'filebox',
      progress: [],
      ...links.get(req.params.id),
    })
  })
  app.post('/api/v1/connect-sessions', express.json(), async (req, res) => {
    const id = `cs_${minted.length + 1}`
    minted.push({ id, ...req.body })
    await waitFor('as many sessions as are answered together', () => minted.length >= mintsTogether)
    res.status(201).json({ id, url: `http://causeway.example/connect/${id}`, expiresAt: new Date() })
  })
  app.post('/api/v1/connect-sessions/:id/complete', express.json(), (req, res) => {
    completions.push({ id: req.params.id, ...req.body })
    const again = { status: 'pending', continueUrl }
    const link = continueUrl ? again : { status: 'linked', connection: { id: 'con_1' } }
    continueUrl = undefined
    links.set('lnk_1', link)
    res.json({ id: 'lnk_1', tenantId: 'acme', integrationId: 'filebox', progress: [], ...link })
  })
  app.post('/api/v1/connections/:id/relink-sessions', express.json(), (req, res) => {
    const id = `cs_${minted.length + 1}`
    minted.push({ id, connectionId: req.params.id, ...req.body })
    res.status(201).json({ id, url: `http://causeway.example/connect/${id}`, expiresAt: new Date() })
  })
  app.post('/api/v1/connections/:id/disconnect', express.json(), (req, res) => {
    connections = connections.map((each) => ({ ...each, status: 'disconnected' }))
    res.json({ id: 'tsk_1', connectionId: req.params.id, kind: 'disconnect', status: 'done' })
  })
  app.post('/acme/functions/filebox-1/mcp', express.json(), answerMcp)
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}`
  connections = [connectionAt(url)]
  return {
    url,
    minted,
    completions,
    setLink: (id: string, link: object) => links.set(id, link),
    askAgainOnce: (url: string) => {
      continueUrl = url
    },
    /** Holds requests until this many have arrived. */
    answerMintsTogether: (count: number) => {
      mintsTogether = count
    },
    breakConnection: (cause: object, causeForUser?: object) => {
      connections = connections.map((each) => ({ ...each, status: 'needs_relink', cause, causeForUser }))
    },
    connectTwin: () => {
      connections = [...connections, { ...connections[0], id: 'con_2', functionName: 'filebox-2' }]
    },
    withoutConnections: () => {
      connections = []
    },
    close: () => server.close(100),
  }
}

const integrations = [
  {
    id: 'filebox',
    displayName: 'Filebox',
    description: 'Find and read your files.',
    permissions: [{ scope: 'files.read', description: 'See your files' }],
    available: true,
  },
  { id: 'gmail', displayName: 'Gmail', description: 'Mail.', permissions: [], available: false },
]

const connectionAt = (url: string) => ({
  id: 'con_1',
  integrationId: 'filebox',
  name: 'filebox-1',
  workspace: 'acme',
  functionName: 'filebox-1',
  functionUrl: `${url}/acme/functions/filebox-1`,
  status: 'active',
  createdAt: '2026-11-18T09:00:00.000Z',
  upstreamAccount: { id: 'account-1', label: 'first@filebox.example' },
})

async function answerMcp(req: Request, res: Response) {
  if (req.get('x-service-authorization') !== `Bearer ${platformKey}`) {
    res.status(401).end()
    return
  }
  const { fetch } = createMcpHandler(fileboxServer)
  await sendWebResponse(await fetch(webRequest(req), { parsedBody: req.body }), res)
}

function fileboxServer(): McpServer {
  const server = new McpServer({ name: 'filebox', version: '1.0.0' })
  const inputSchema = z.object({ query: z.string().optional().describe('Part of a name') })
  server.registerTool('list_files', { description: 'Finds files by name.', inputSchema }, async ({ query }) => {
    const files = [{ id: 'file_1', name: `${query ?? 'Any'}.txt`, type: 'text/plain', size: 12 }]
    return { content: [{ type: 'text', text: JSON.stringify({ files }) }] }
  })
  return server
}
