// Two providers, with rotating and with fixed refresh tokens, a control plane and its functions. It records all requests,
// so that the run can check for lost and repeated work.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Per grant: number of uses and the current token. */
const grants = new Map<string, { uses: number; replayed: number; current: string }>()
/** The token per name on the platform. */
const connections = new Map<string, string>()
let created = 0
let functions = 0

/** `r-17.0` is the first token of rotating grant 17. */
function refresh(rotates: boolean, token: string): object {
  const [grant = '', generation = '0'] = token.split('.')
  const known = grants.get(grant) ?? { uses: 0, replayed: 0, current: token }
  known.uses++
  if (rotates && known.current !== token) known.replayed++
  if (rotates) known.current = `${grant}.${Number(generation) + 1}`
  grants.set(grant, known)
  const answer = { access_token: `a-${grant}-${known.uses}`, token_type: 'Bearer', expires_in: 3600 }
  return rotates ? { ...answer, refresh_token: known.current } : answer
}

/** Enough of MCP for a handshake and a list of tools, in revision 2026-07-28 and the one before. */
function mcpAnswer(body: string): object | undefined {
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return undefined
  const answer = (result: object) => ({ jsonrpc: '2.0', id, result })
  if (method === 'initialize') {
    const serverInfo = { name: 'stub', version: '1' }
    return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  }
  const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  if (method === 'server/discover') {
    return answer({ ...modern, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
  }
  if (method === 'tools/list')
    return answer({ ...modern, tools: [{ name: 'list_files', inputSchema: { type: 'object' } }] })
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
}

type Document = { metadata: { name: string; url?: string }; spec: { secret?: Record<string, string> } }

function create(kind: string, document: Document): object {
  const { name } = document.metadata
  if (kind.startsWith('functions')) {
    functions++
    return { ...document, metadata: { ...document.metadata, url: `${origin()}/run/${name}` } }
  }
  created++
  connections.set(name, document.spec.secret?.REFRESH_TOKEN ?? '')
  return document
}

function report() {
  const all = [...grants.entries()]
  const held = new Set(connections.values())
  return {
    grants: all.length,
    replayed: all.filter(([, { replayed }]) => replayed > 0).length,
    connections: connections.size,
    functions,
    /** Connections that were requested more than once, with the same name. */
    repeated: created - connections.size,
    distinctTokens: held.size,
    stale: all.filter(([grant, { current }]) => grant.startsWith('r-') && !held.has(current)).length,
  }
}

function respond(req: IncomingMessage, body: string): { status: number; answer?: object | undefined } {
  const url = req.url ?? ''
  if (url === '/report') return { status: 200, answer: report() }
  if (url.endsWith('/mcp')) {
    if (req.method !== 'POST') return { status: 405 }
    const answer = mcpAnswer(body)
    return { status: answer ? 200 : 202, answer }
  }
  if (url.endsWith('/token')) {
    return {
      status: 200,
      answer: refresh(url.startsWith('/rotating'), new URLSearchParams(body).get('refresh_token') ?? ''),
    }
  }
  if (req.method === 'GET') return found(url)
  const document: Document = JSON.parse(body)
  const { name } = document.metadata
  const kind = url.split('/').at(-1) ?? ''
  if (!kind.startsWith('functions') && connections.has(name))
    return { status: 409, answer: { code: 409, error: 'taken' } }
  return { status: 200, answer: create(kind, document) }
}

/** Resources of an earlier attempt are ours if their labels match. */
function found(url: string) {
  const document = documents.get(url.split('/').at(-1) ?? '')
  return document ? { status: 200, answer: document } : { status: 404, answer: { code: 404, error: 'Not found' } }
}

const documents = new Map<string, object>()

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const { status, answer } = respond(req, body)
    if (answer && req.method === 'POST' && 'metadata' in answer)
      documents.set((answer as Document).metadata.name, answer)
    res.writeHead(status, { 'content-type': 'application/json' })
    res.end(answer && JSON.stringify(answer))
  })
})

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

server.keepAliveTimeout = 120_000
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
