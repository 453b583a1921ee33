import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { isModest, withModestMessages } from '../../../src/platform/gateway/adapters/vendor-mcp/modest-messages.ts'

const ones = (count: number) => Array.from({ length: count }, () => 1)

test.each<[what: string, message: unknown, passes: boolean]>([
  ['a short response', { result: { content: [{ type: 'text', text: 'Hello' }] } }, true],
  ['much data in structured content', { result: { structuredContent: { rows: ones(60_000) } } }, true],
  ['a long array', { result: { content: ones(60_000) } }, false],
  ['many arrays', { result: Array.from({ length: 300 }, () => ones(300)) }, false],
  ['an object with many fields', { result: Object.fromEntries(ones(60_000).map((_, at) => [`m${at}`, at])) }, false],
])('%s', (_what, message, passes) => {
  expect(isModest(message)).toBe(passes)
})

test('Z52: answers twenty requests of a server at once, and forwards all other messages', () => {
  const transport = withModestMessages({} as Transport)
  const passed: JSONRPCMessage[] = []
  transport.onmessage = (message) => passed.push(message)

  for (let id = 0; id < 1_000; id++) transport.onmessage({ jsonrpc: '2.0', id, method: 'ping' })
  transport.onmessage({ jsonrpc: '2.0', method: 'notifications/message' })
  transport.onmessage({ jsonrpc: '2.0', id: 1, result: {} })

  // One more if a second has passed.
  expect(passed.filter((message) => 'method' in message && 'id' in message).length).toBeLessThan(30)
  expect(passed.slice(-2)).toMatchObject([{ method: 'notifications/message' }, { result: {} }])
})
