// A function at a platform URL, and clients that know only that URL.
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import type { Adapters } from '../../../src/platform/compose.ts'
import { functionWorld } from './function-world.ts'

export type McpLoginWorld = Awaited<ReturnType<typeof mcpLoginWorld>>

export async function mcpLoginWorld(env: NodeJS.ProcessEnv = {}, adapters: Partial<Adapters> = {}) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const world = await functionWorld({ env: { PUBLIC_URL: origin, PORT: String(port), ...env }, adapters })
  await world.platform.listen(port)
  return {
    ...world,
    origin,
    mcpUrl: `${origin}/acme/functions/files/mcp`,
    metadataUrl: `${origin}/.well-known/oauth-protected-resource/acme/functions/files/mcp`,
    async login(endUser = { id: 'user-1', label: 'first@acme.example' }, name = 'files'): Promise<{ url: string }> {
      const { body } = await world.api.post(`/v0/functions/${name}/logins`).send({ endUser }).expect(200)
      return body
    },
  }
}

export type Memory = Partial<{
  client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  verifier: string
  authorizeUrl: URL
  discovery: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]
}>

export const callback = 'http://127.0.0.1:7777/callback'

/** The official MCP client. Records the authorization URL instead of opening a browser. */
export function freshClient(mcpUrl: string, memory: Memory, mode: 'auto' | 'legacy', redirectUrl: string) {
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Test client', redirect_uris: [redirectUrl] },
    clientInformation: () => memory.client,
    saveClientInformation: (client) => void Object.assign(memory, { client }),
    tokens: () => memory.tokens,
    saveTokens: (tokens) => void Object.assign(memory, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(memory, { verifier }),
    codeVerifier: () => memory.verifier ?? '',
    saveDiscoveryState: (discovery) => void Object.assign(memory, { discovery }),
    discoveryState: () => memory.discovery,
    invalidateCredentials: (scope) => {
      if (scope === 'tokens' || scope === 'all') delete memory.tokens
    },
    redirectToAuthorization: (authorizeUrl) => void Object.assign(memory, { authorizeUrl }),
  }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider })
  return { client, transport, memory }
}
