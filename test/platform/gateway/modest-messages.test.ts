import { expect, test } from 'vitest'
import { isModest } from '../../../src/platform/gateway/adapters/vendor-mcp/modest-messages.ts'

const ones = (count: number) => Array.from({ length: count }, () => 1)

test.each<[what: string, message: unknown, passes: boolean]>([
  ['a short answer', { result: { content: [{ type: 'text', text: 'Hello' }] } }, true],
  ['much data in structured content', { result: { structuredContent: { rows: ones(60_000) } } }, true],
  ['a long array', { result: { content: ones(60_000) } }, false],
  ['many arrays', { result: Array.from({ length: 300 }, () => ones(300)) }, false],
  ['an object with many members', { result: Object.fromEntries(ones(60_000).map((_, at) => [`m${at}`, at])) }, false],
])('%s', (_what, message, passes) => {
  expect(isModest(message)).toBe(passes)
})
