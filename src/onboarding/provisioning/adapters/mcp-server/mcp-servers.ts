import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import type { McpServer } from '../../../domain/mcp/mcp-server.ts'
import type { ClientWords } from '../../../domain/mcp/registered-client.ts'
import type { McpServers } from '../../../domain/ports/mcp-servers.ts'
import { authorizationServer } from './authorization-server.ts'
import { knowsClient, registerClient } from './client-registration.ts'
import { protectedResource } from './protected-resource.ts'

/** Many users link at the same moment; what failed is asked for again. */
const memory = { ttlMs: 60_000, capacity: 1_000 }

export function mcpServers(fetch: GuardedFetch, words: ClientWords): McpServers {
  const discovered = ttlCache((mcpUrl) => discover(fetch, mcpUrl), memory)
  return {
    discover: (mcpUrl) => discovered.get(mcpUrl),
    register: (at, registration) => registerClient(fetch, words, at, registration),
    knowsClient: (at, client, method) => knowsClient(fetch, at, client, method),
  }
}

async function discover(fetch: GuardedFetch, mcpUrl: string): Promise<McpServer> {
  const { issuer, ...resource } = await protectedResource(fetch, mcpUrl)
  return { ...resource, authorizationServer: await authorizationServer(fetch, issuer, mcpUrl) }
}
