// A platform with one connection and one MCP function.
import type { Adapters } from '../../../src/platform/compose.ts'
import { startThirdParty } from '../doubles/third-party.ts'
import { createResource, platformWorld } from './platform-world.ts'

export type FunctionWorld = Awaited<ReturnType<typeof functionWorld>>

type Options = { env?: NodeJS.ProcessEnv; adapters?: Partial<Adapters> }

export async function functionWorld({ env = {}, adapters = {} }: Options = {}) {
  const filebox = await startThirdParty()
  const platform = await platformWorld({ env, adapters, integrations: [filebox.integration] })
  const api = platform.as(platform.admin)
  await api.post('/v0/integrations/connections').send(fileboxConnection('refresh-1')).expect(200)
  const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await createResource(api, 'functions', 'files', spec)
  const credential = { 'X-Service-Authorization': `Bearer ${platform.admin.key}` }
  const send = (
    url: string,
    method: string,
    headers: Record<string, string> = {},
    body?: unknown,
    signal?: AbortSignal,
  ) =>
    fetch(url, {
      method,
      headers: {
        ...credential,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  return {
    platform,
    filebox,
    api,
    credential,
    listen: async () => `${await platform.listen()}/acme/functions/files/mcp`,
    post: (url: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      send(url, 'POST', headers, body, signal),
    send: (url: string, method: string, headers: Record<string, string>) => send(url, method, headers),
    /** Starts a second assembly, like another process. */
    async twin(replaced: Partial<Adapters> = {}) {
      const other = await platformWorld({
        env: { ...env, DATABASE_URL: platform.config.databaseUrl, ENCRYPTION_KEYS: keysOf(platform.config) },
        integrations: [filebox.integration],
        adapters: replaced,
      })
      return { listen: async () => `${await other.listen()}/acme/functions/files/mcp`, close: other.close }
    },
    async close() {
      filebox.release()
      await platform.close()
      await filebox.close()
    },
  }
}

export const fileboxConnection = (refreshToken: string) => ({
  metadata: { name: 'files' },
  spec: {
    integration: 'filebox',
    secret: { CLIENT_ID: 'client', CLIENT_SECRET: 'CANARY-client-secret', REFRESH_TOKEN: refreshToken },
  },
})

export const keysOf = ({ encryptionKeys }: Awaited<ReturnType<typeof platformWorld>>['config']) =>
  [...encryptionKeys.keys].map(([id, key]) => `${id}:${key.reveal().toString('hex')}`).join(',')
