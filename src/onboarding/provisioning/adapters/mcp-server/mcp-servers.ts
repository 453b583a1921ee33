import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { ResolvingFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { within } from '../../../../kit/process/background-work.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { McpServer } from '../../../domain/mcp/mcp-server.ts'
import type { ClientWords } from '../../../domain/mcp/registered-client.ts'
import type { McpServers } from '../../../domain/ports/mcp-servers.ts'
import { authorizationServer } from './authorization-server.ts'
import { registerClient } from './client-registration.ts'
import { protectedResource } from './protected-resource.ts'

const memory = { ttlMs: 60_000, capacity: 1_000 }

export function mcpServers(fetch: ResolvingFetch, words: ClientWords): McpServers {
  const discovered = ttlCache((mcpUrl) => discoverInTime(fetch, mcpUrl), memory)
  return {
    discover: (mcpUrl) => discovered.get(mcpUrl),
    register: (at, registration) => registerClient(fetch, words, at, registration),
  }
}

/** Limits the total time: a user is waiting, and there are up to six requests. */
const maxMs = 20_000

async function discoverInTime(fetch: ResolvingFetch, mcpUrl: string): Promise<McpServer> {
  const found = await within(discover(fetch, mcpUrl), maxMs)
  if (!found) throw new DependencyError('provider_unavailable', { retry: {}, detail: 'discovery: timeout' })
  return found
}

async function discover(fetch: ResolvingFetch, mcpUrl: string): Promise<McpServer> {
  const { issuer, ...resource } = await protectedResource(fetch, mcpUrl)
  return { ...resource, authorizationServer: await authorizationServer(fetch, issuer, mcpUrl) }
}
