import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { functionWorld } from '../../support/worlds/function-world.ts'

const clients: Client[] = []

const world = await functionWorld()
const url = await world.listen()
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})
afterAll(() => world.close())

async function connect(mode: 'legacy' | 'auto' | { pin: string }) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: world.credential } }))
  clients.push(client)
  return client
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const message = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: meta },
})
const headersOf = (method: string, name?: string) => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  ...(name && { 'Mcp-Name': name }),
})
const call = (name: string) => message('tools/call', { name, arguments: {} })

test.each([
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  [{ pin: '2026-07-28' }, '2026-07-28'],
] as const)('a client that negotiates %j speaks %s and calls a tool', async (mode, version) => {
  const client = await connect(mode)

  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'list_files', arguments: { query: 'a' } })

  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  expect(tools.map(({ name }) => name)).toEqual(['list_files', 'write_file', 'request'])
  expect(result).toMatchObject({ isError: false, content: [{ type: 'text' }] })
})

test('a request without a session is answered completely without opening one', async () => {
  const answer = await world.post(url, call('list_files'), headersOf('tools/call', 'list_files'))

  expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
  expect(await answer.json()).toMatchObject({ id: 1, result: { resultType: 'complete', isError: false } })
})

test('discovery lists the supported protocols and capabilities', async () => {
  const answer = await world.post(url, message('server/discover'), headersOf('server/discover'))

  expect(await answer.json()).toMatchObject({
    result: { supportedVersions: expect.arrayContaining(['2026-07-28']), capabilities: { tools: {} } },
  })
})

test('rejects a header that differs from the body without calling the third party', async () => {
  const before = world.filebox.state.apiRequests.length

  const answer = await world.post(url, call('write_file'), headersOf('tools/call', 'list_files'))

  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32_020 } }])
  expect(world.filebox.state.apiRequests).toHaveLength(before)
})

test('rejects an unknown version with a list of supported ones', async () => {
  const later = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: later } }

  const answer = await world.post(url, body, { ...headersOf('tools/list'), 'MCP-Protocol-Version': '2099-01-01' })

  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: -32_022, data: { supported: ['2026-07-28'] } } },
  ])
})

test('a disconnecting client stops the call at the third party', async () => {
  const leaving = new AbortController()
  world.filebox.state.hold = true
  const before = world.filebox.state.apiRequests.length
  const answer = world.post(url, call('list_files'), headersOf('tools/call', 'list_files'), leaving.signal)
  await waitFor('the third party is asked', () => world.filebox.state.apiRequests.length > before)

  leaving.abort()

  await expect(answer).rejects.toThrow()
  await waitFor('the third party sees it', () => world.filebox.state.cutOff > 0)
  world.filebox.release()
})
