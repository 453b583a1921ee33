// The limits of held-answers.ts in a running gateway.
import { afterAll, expect, test } from 'vitest'
import type { McpEvent } from '../../../src/platform/gateway/domain/mcp.ts'
import { functionWorld } from '../../support/worlds/function-world.ts'

const stored: McpEvent[] = []
/** A store that has not written anything yet. */
const mcpEvents = {
  keptMs: 60_000,
  add: (_session: string, _stream: string, event: McpEvent) => {
    stored.push(event)
    return new Promise<void>(() => undefined)
  },
  after: async () => undefined,
  sweep: async () => undefined,
}
const world = await functionWorld({ adapters: { mcpEvents } })
// Two megabytes each as JSON.
world.filebox.state.text = '"'.repeat(1_000_000)
afterAll(() => world.close())

const calls = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'list_files', arguments: {} },
  }))

test('Y4: a batch of large results is answered in part, and the next request works', async () => {
  const url = await world.listen()

  const answers = (await (await world.post(url, calls(40))).json()) as { result: { isError?: boolean } }[]
  const again = (await (await world.post(url, calls(1))).json()) as unknown

  expect(answers.filter(({ result }) => result.isError)).toHaveLength(40 - 4)
  expect(JSON.stringify(again)).not.toContain('"isError":true')
})

test('Y6: limits results in a session that wait for the store, and reports the others as not stored', async () => {
  const url = await world.listen()
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo }
  const opened = await world.post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''

  const inSession = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-03-26' }
  const all = calls(20)
  while (all.length > 0) await (await world.post(url, all.splice(0, 4), inSession)).text()

  expect(stored.filter(({ message }) => message.includes('not stored for replay'))).toHaveLength(20 - 16)
})
