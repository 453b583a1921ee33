// A platform with a function that forwards to a vendor’s own MCP server.
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startVendorMcp, type VendorAge } from '../doubles/vendor-mcp.ts'
import { createResource, keysOf, platformWorld } from './platform-world.ts'

export type VendorWorld = Awaited<ReturnType<typeof vendorWorld>>

type Options = { age?: VendorAge; env?: NodeJS.ProcessEnv; toolChanges?: 'hold' | 'allow'; repairUrl?: string }

export async function vendorWorld({ age = 'modern', env = {}, toolChanges = 'hold', repairUrl }: Options = {}) {
  const vendor = await startVendorMcp(age)
  const integration = { ...vendor.integration, toolChanges }
  const platform = await platformWorld({ env: { MCP_EGRESS_ALLOW: vendor.host, ...env }, integrations: [integration] })
  const api = platform.as(platform.admin)
  const secret = {
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'CANARY-client-secret',
    REFRESH_TOKEN: vendor.state.refreshToken,
  }
  const connection = {
    metadata: { name: 'linked' },
    spec: { integration: 'vendor', config: vendor.config, secret, repairUrl },
  }
  await api.post('/v0/integrations/connections').send(connection).expect(200)
  await createResource(api, 'functions', 'vendor', { type: 'mcp', integrationConnections: ['linked'] })
  const addressAt = async ({ listen }: Pick<typeof platform, 'listen'>) => `${await listen()}/acme/functions/vendor/mcp`
  const url = await addressAt(platform)
  const credential = { 'X-Service-Authorization': `Bearer ${platform.admin.key}` }
  const clients: Client[] = []
  const twins: Awaited<ReturnType<typeof platformWorld>>[] = []
  const post = (at: string, body: object, headers: Record<string, string> = {}) =>
    fetch(at, {
      method: 'POST',
      headers: {
        ...credential,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })
  return {
    vendor,
    platform,
    api,
    url,
    /** Replaces the secrets, as a re-link does. */
    relink: (refreshToken: string) =>
      api
        .put('/v0/integrations/connections/linked')
        .send({ ...connection, spec: { ...connection.spec, secret: { ...secret, REFRESH_TOKEN: refreshToken } } })
        .expect(200),
    /** The function of a connection that has no account yet. */
    unlink: () =>
      api
        .put('/v0/integrations/connections/linked')
        .send({ ...connection, spec: { ...connection.spec, secret: {} } })
        .expect(200),
    /** The official MCP client, in either protocol version. */
    async connect(mode: 'auto' | 'legacy' = 'auto', options: ClientOptions = {}) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
      clients.push(client)
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: credential } }))
      return client
    },
    post,
    async ask(method: string, params: object = {}) {
      const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params })
      // biome-ignore lint/suspicious/noExplicitAny: results and errors, compared by each test
      return (await answer.json()) as any
    },
    /** Starts a second assembly, like another process. Returns the URL of the function there. */
    async twin() {
      const shared = { DATABASE_URL: platform.config.databaseUrl, ENCRYPTION_KEYS: keysOf(platform) }
      const other = await platformWorld({
        env: { MCP_EGRESS_ALLOW: vendor.host, ...env, ...shared },
        integrations: [integration],
      })
      twins.push(other)
      return { url: await addressAt(other), api: other.as(platform.admin) }
    },
    toolLists: async () => (await api.get('/v0/functions/vendor/tool-lists').expect(200)).body.data,
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      vendor.state.release()
      await Promise.all(twins.map((each) => each.close()))
      await platform.close()
      await vendor.close()
    },
  }
}
