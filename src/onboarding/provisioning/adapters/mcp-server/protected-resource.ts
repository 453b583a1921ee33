import { z } from 'zod'
import { type Answer, FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { metadataAt, unreachable, unusable } from './metadata-document.ts'

type ProtectedResource = {
  resource: string
  issuer: string
  challengedScopes: string[] | undefined
  scopes: string[] | undefined
}

const Metadata = z.looseObject({
  resource: z.string().max(1_000),
  authorization_servers: z.array(z.string().max(1_000)).max(20).optional(),
  scopes_supported: z.array(z.string().max(200)).max(500).optional(),
})

export async function protectedResource(fetch: GuardedFetch, mcpUrl: string): Promise<ProtectedResource> {
  const { status, challenge } = await challengeOf(fetch, mcpUrl)
  const named = challenge.resource_metadata
  const metadata = named === undefined ? await atWellKnown(fetch, mcpUrl) : await atNamed(fetch, mcpUrl, named)
  // Some servers accept the first message without a token. Those have metadata.
  if (status !== 401 && !metadata)
    throw new DependencyError('mcp_server_unprotected', { detail: `MCP server: ${status}` })
  const challengedScopes = challenge.scope?.split(' ').filter(Boolean)
  // Servers from before revision 2025-06-18 have no metadata and are their own authorization server.
  if (!metadata) return { resource: mcpUrl, issuer: new URL(mcpUrl).origin, challengedScopes, scopes: undefined }
  const [issuer] = metadata.authorization_servers ?? []
  if (issuer === undefined) throw unusable('authorization_servers')
  return { resource: metadata.resource, issuer, challengedScopes, scopes: metadata.scopes_supported }
}

const clientInfo = { name: 'causeway', version: '1.0.0' }
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'accept-encoding': 'identity',
  'user-agent': 'causeway',
}

type Hello = { body: string; headers: Record<string, string> }

/** A server may name its `scope` only in response to a message that it understands. */
const hello: Hello = {
  body: rpc('server/discover', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }),
  headers: { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
}
const olderHello: Hello = {
  body: rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  headers,
}

async function challengeOf(fetch: GuardedFetch, mcpUrl: string) {
  const first = await ask(fetch, mcpUrl, 'POST', hello)
  const asked = first.status === 401 ? first : await ask(fetch, mcpUrl, 'POST', olderHello)
  // The older transport accepts no POST.
  const isElsewhere = [404, 405].includes(asked.status)
  const { status, headers: answered } = isElsewhere ? await ask(fetch, mcpUrl, 'GET', olderHello) : asked
  if (status === 429 || status >= 500)
    throw new DependencyError('provider_unavailable', { retry: {}, detail: `MCP server: ${status}` })
  if (status >= 300 && status < 400)
    throw new DependencyError('mcp_server_redirects', { detail: `MCP server: ${status}` })
  return { status, challenge: (status === 401 && bearerChallenge(answered['www-authenticate'])) || {} }
}

const ask = (fetch: GuardedFetch, mcpUrl: string, method: 'GET' | 'POST', said: Hello): Promise<Answer> =>
  fetch(mcpUrl, { method, headers: said.headers, body: method === 'POST' ? said.body : undefined }).catch((error) => {
    const begun = error instanceof FetchError ? error.partial?.reveal() : undefined
    return begun ?? Promise.reject(unasked(error))
  })

/** The integration names this address, so only the operator can allow or fix it. */
const unasked = (error: unknown): unknown =>
  error instanceof FetchError && error.kind === 'blocked'
    ? new DependencyError('address_blocked', { detail: 'MCP server' })
    : unreachable(error, 'MCP server')

async function atNamed(fetch: GuardedFetch, mcpUrl: string, url: string) {
  if (!URL.canParse(url)) throw unusable('resource_metadata')
  const metadata = await metadataAt(fetch, url, { schema: Metadata, detail: 'resource_metadata' })
  if (!metadata || !covers(metadata.resource, mcpUrl)) throw unusable('resource_metadata')
  return metadata
}

/** RFC 9728 §3.1: the resource's path follows the well-known path. Many servers only have it at the root. */
async function atWellKnown(fetch: GuardedFetch, mcpUrl: string) {
  const { origin, pathname, search } = new URL(mcpUrl)
  const root = `${origin}/.well-known/oauth-protected-resource`
  const paths = pathname === '/' ? [root + search] : [root + pathname.replace(/\/$/, '') + search, root]
  for (const path of paths) {
    const metadata = await metadataAt(fetch, path, { schema: Metadata, detail: 'protected resource metadata' })
    if (!metadata) continue
    if (!covers(metadata.resource, mcpUrl)) throw unusable('resource')
    return metadata
  }
  return undefined
}

/** RFC 9728 §3.3 requires the requested URL. Many servers name a parent path. Another origin is rejected. */
function covers(resource: string, mcpUrl: string): boolean {
  if (!URL.canParse(resource)) return false
  const [named, asked] = [new URL(resource), new URL(mcpUrl)]
  if (named.origin !== asked.origin || named.hash !== '') return false
  const above = (path: string) => `${path.replace(/\/$/, '')}/`
  return above(asked.pathname).startsWith(above(named.pathname))
}

// RFC 9110 §11.6.1: commas separate challenges and also their parameters, so the header is parsed and not split.

type Challenge = { scheme: string; parameters: Record<string, string> }

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = new RegExp(`^(${token})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))`)
const scheme = new RegExp(`^(${token})(?=[ \\t,]|$)`)
/** Credentials instead of parameters, as in `Negotiate`. */
const token68 = /^[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/

export function challengesIn(header: string): Challenge[] {
  const challenges: Challenge[] = []
  let rest = header.slice(0, maxLength)
  for (;;) {
    rest = rest.replace(/^[ \t,]+/, '')
    const pair = parameter.exec(rest)
    const current = challenges.at(-1)
    if (pair && current) {
      const [whole, name = '', quoted, plain = ''] = pair
      current.parameters[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain
      rest = rest.slice(whole.length)
      continue
    }
    const [name = ''] = scheme.exec(rest) ?? []
    if (name === '') return challenges
    challenges.push({ scheme: name.toLowerCase(), parameters: {} })
    rest = rest.slice(name.length).replace(/^[ \t]+/, '')
    if (!parameter.test(rest)) rest = rest.replace(token68, '')
  }
}

const maxLength = 8_192

const bearerChallenge = (header: string | undefined): Record<string, string> | undefined =>
  challengesIn(header ?? '').find((challenge) => challenge.scheme === 'bearer')?.parameters
