import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import request from 'supertest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GatewayError } from '../../../src/contract/error-bodies.ts'
import { startThirdParty, type ThirdPartyDouble } from '../../support/doubles/third-party.ts'
import {
  createResource,
  type PlatformWorld,
  platformWorld,
  replaceResource,
} from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let filebox: ThirdPartyDouble
const clients: Client[] = []

beforeEach(async () => {
  filebox = await startThirdParty()
  world = await platformWorld({ integrations: [filebox.integration] })
  const api = world.as(world.admin)
  await api.post('/v0/integrations/connections').send(connection('refresh-1')).expect(200)
  const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await createResource(api, 'functions', 'files', spec)
})

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await world.close()
  await filebox.close()
})

const connection = (refreshToken: string) => ({
  metadata: { name: 'files' },
  spec: {
    integration: 'filebox',
    secret: { CLIENT_ID: 'client', CLIENT_SECRET: 'hush', REFRESH_TOKEN: refreshToken },
  },
})

async function connect(headers: Record<string, string> = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const url = new URL('/acme/functions/files/mcp', await world.listen())
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  clients.push(client)
  return client
}

const text = (result: unknown) => (result as { content: [{ text: string }] }).content[0].text

test('an MCP client lists the tools of the integration and calls one with the linked account', async () => {
  const client = await connect()

  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'list_files', arguments: { query: 'tax & more' } })

  expect(tools.map(({ name }) => name)).toEqual(['list_files', 'write_file', 'request'])
  expect(JSON.parse(text(result))).toMatchObject({ method: 'GET', url: '/api/files?q=tax+%26+more' })
  expect(filebox.state.tokenRequests[0]?.body).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'refresh-1',
    client_id: 'client',
    client_secret: 'hush',
  })
})

test('arguments fill the path and the body, keep their types, and are omitted if not given', async () => {
  const client = await connect({ Authorization: `Bearer ${world.admin.key}` })

  const result = await client.callTool({ name: 'write_file', arguments: { path: '../a/b', size: 3 } })

  expect(JSON.parse(text(result))).toEqual({
    method: 'PUT',
    url: '/api/files/..%2Fa%2Fb',
    body: { size: 3, title: 'File ../a/b' },
  })
})

test("rejects arguments that don't match the schema before calling the third party", async () => {
  const client = await connect()

  const result = await client.callTool({ name: 'write_file', arguments: { path: 'a', size: 'big' } })

  expect(result.isError).toBe(true)
  expect(filebox.state.tokenRequests).toEqual([])
})

test('concurrent calls without an access token cause one refresh', async () => {
  const client = await connect()

  await Promise.all(Array.from({ length: 40 }, () => client.callTool({ name: 'list_files', arguments: {} })))

  expect(filebox.state.tokenRequests).toHaveLength(1)
  expect(filebox.state.apiRequests).toHaveLength(40)
})

test('replaces an access token that expires early, and uses the rotated refresh token next', async () => {
  filebox.state.rotates = true
  const client = await connect()
  await client.callTool({ name: 'list_files', arguments: {} })
  filebox.state.accessToken = 'revoked by the third party'

  const result = await client.callTool({ name: 'list_files', arguments: {} })

  expect(result.isError).toBe(false)
  expect(filebox.state.tokenRequests.map(({ body }) => body.refresh_token)).toEqual(['refresh-1', 'refresh-2'])
})

test('a revoked grant is a tool error that requests re-linking, and a new grant works without reconnecting', async () => {
  const client = await connect()
  filebox.state.refreshToken = 'refresh-9'

  const broken = await client.callTool({ name: 'list_files', arguments: {} })
  await world.as(world.admin).put('/v0/integrations/connections/files').send(connection('refresh-9')).expect(200)
  const mended = await client.callTool({ name: 'list_files', arguments: {} })

  expect([broken.isError, broken._meta]).toEqual([true, { code: 'grant_revoked' }])
  expect(text(broken)).toContain('The connection "files" to Filebox needs re-linking')
  expect([mended.isError, mended._meta]).toEqual([false, undefined])
})

test('concurrent calls in two processes cause one refresh', async () => {
  const other = await platformWorld({
    env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: sharedKeys(world) },
    integrations: [filebox.integration],
  })
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }
  const call = ({ app, admin }: PlatformWorld) =>
    request(app)
      .post('/acme/functions/files/mcp')
      .set({ 'X-Service-Authorization': `Bearer ${admin.key}`, Accept: 'application/json, text/event-stream' })
      .send(body)

  await Promise.all(Array.from({ length: 40 }, (_, at) => call(at % 2 ? world : other)))
  await other.close()

  expect(filebox.state.apiRequests).toHaveLength(40)
  expect(filebox.state.tokenRequests).toHaveLength(1)
})

test.each([
  ['no credential', {}, '/acme/functions/files/mcp', 401, 'AUTHENTICATION_REQUIRED'],
  [
    'a wrong credential',
    { Authorization: 'Bearer nonsense' },
    '/acme/functions/files/mcp',
    401,
    'AUTHENTICATION_FAILED',
  ],
  ['a foreign workspace', undefined, '/other/functions/files/mcp', 404, 'WORKSPACE_NOT_FOUND'],
  ['an unknown function', undefined, '/acme/functions/none/mcp', 404, 'WORKLOAD_NOT_FOUND'],
  ['an unknown route', undefined, '/acme/what/ever', 404, 'ROUTE_NOT_FOUND'],
])('%s returns a nested gateway error', async (_, headers, path, status, code) => {
  const sent = headers ?? { 'X-Service-Authorization': `Bearer ${world.admin.key}` }

  const answer = await request(world.app)
    .post(path)
    .set(sent as Record<string, string>)
    .send({})

  expect(answer.status).toBe(status)
  expect(GatewayError.parse(answer.body).error).toMatchObject({ code, status, retryable: false })
  expect(answer.headers).toMatchObject({ 'x-service-source': 'platform', 'x-service-error-code': code })
})

test('a deactivated function is unavailable with a retryable error', async () => {
  const spec = { type: 'mcp', enabled: false, integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await replaceResource(world.as(world.admin), 'functions', 'files', spec)

  const answer = await request(world.app)
    .post('/acme/functions/files/mcp')
    .auth(world.admin.key, { type: 'bearer' })
    .send({})

  expect(answer.body.error).toMatchObject({ code: 'WORKLOAD_UNAVAILABLE', status: 404, retryable: true })
})

const sharedKeys = ({ config: { encryptionKeys } }: PlatformWorld) =>
  [...encryptionKeys.keys].map(([id, key]) => `${id}:${key.reveal().toString('hex')}`).join(',')

test.each([
  ['unchanged', '/acme/functions/files/mcp', 200],
  ['with a query', '/acme/functions/files/mcp?client=test', 200],
  ['with encoded letters', '/%61cme/functions/fil%65s/mcp', 200],
  ['of another function', '/acme/functions/other/mcp', 404],
  ['with a trailing slash', '/acme/functions/files/mcp/', 404],
  ['below the API', '/v0/functions/files/mcp', 404],
])('serves calls to a function only at its URL: %s', async (_how, address, status) => {
  const answer = await request(world.app)
    .post(address)
    .auth(world.admin.key, { type: 'bearer' })
    .set('Accept', 'application/json, text/event-stream')
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: { query: 'a' } } })

  expect(answer.status).toBe(status)
})

test('at the host of a sandbox, the path of a function belongs to the sandbox', async () => {
  const { status, body } = await request(world.app)
    .post('/acme/functions/files/mcp')
    .set('Host', 'sbx-box-acme.local.sandboxes.example')
    .auth(world.admin.key, { type: 'bearer' })
    .send({ jsonrpc: '2.0', id: 1, method: 'ping' })

  expect([status, body.error.message]).toEqual([404, 'No sandbox has this address.'])
})
