// RFC 9728: an MCP server says by which authorization server it is protected, in a challenge or at a well-known address.
import { z } from 'zod'
import { type Answer, FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { bearerChallenge } from './challenge.ts'
import { metadataAt, unreachable, unusable } from './metadata-document.ts'

export type ProtectedResource = {
  resource: string
  /** The authorization server's issuer. */
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
  // Some let anybody say hello, and ask for a token later: those have metadata.
  if (status !== 401 && !metadata)
    throw new DependencyError('mcp_server_unprotected', { detail: `MCP server: ${status}` })
  const challengedScopes = challenge.scope?.split(' ').filter(Boolean)
  // Servers from before revision 2025-06-18 have no such metadata, and are their own authorization server.
  if (!metadata) return { resource: mcpUrl, issuer: new URL(mcpUrl).origin, challengedScopes, scopes: undefined }
  const [issuer] = metadata.authorization_servers ?? []
  if (issuer === undefined) throw unusable('authorization_servers')
  return { resource: metadata.resource, issuer, challengedScopes, scopes: metadata.scopes_supported }
}

/** The first message that any client sends. It has no token, so what it asks for does not matter. */
const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'causeway', version: '1.0.0' } },
})

const helloHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'accept-encoding': 'identity',
  'user-agent': 'causeway',
}

async function challengeOf(fetch: GuardedFetch, mcpUrl: string) {
  const asked = await ask(fetch, mcpUrl, 'POST')
  // The older transport takes no POST at its address.
  const { status, headers } = [404, 405].includes(asked.status) ? await ask(fetch, mcpUrl, 'GET') : asked
  if (status === 429 || status >= 500)
    throw new DependencyError('provider_unavailable', { retry: {}, detail: `MCP server: ${status}` })
  return { status, challenge: (status === 401 && bearerChallenge(headers['www-authenticate'])) || {} }
}

const ask = (fetch: GuardedFetch, mcpUrl: string, method: 'GET' | 'POST'): Promise<Answer> =>
  fetch(mcpUrl, { method, headers: helloHeaders, body: method === 'POST' ? hello : undefined }).catch((error) => {
    // Its head says everything; a stream that goes on is none of our business.
    const begun = error instanceof FetchError ? error.partial?.reveal() : undefined
    return begun ?? Promise.reject(unreachable(error, 'MCP server'))
  })

async function atNamed(fetch: GuardedFetch, mcpUrl: string, url: string) {
  if (!URL.canParse(url)) throw unusable('resource_metadata')
  const metadata = await metadataAt(fetch, url, { schema: Metadata, detail: 'resource_metadata' })
  if (!metadata || !covers(metadata.resource, mcpUrl)) throw unusable('resource_metadata')
  return metadata
}

/** RFC 9728 §3.1: the path of the resource follows the well-known one. Many have it at the root alone. */
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

/**
 * RFC 9728 §3.3 wants the address that was asked. Many servers name what is above it; another origin would get tokens for
 * a server that is not the one which is linked.
 */
function covers(resource: string, mcpUrl: string): boolean {
  if (!URL.canParse(resource)) return false
  const [named, asked] = [new URL(resource), new URL(mcpUrl)]
  if (named.origin !== asked.origin || named.hash !== '') return false
  const above = (path: string) => `${path.replace(/\/$/, '')}/`
  return above(asked.pathname).startsWith(above(named.pathname))
}
