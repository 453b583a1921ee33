// Results of tools that are told without the schemas of the protocol's library.
import { isCallToolResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { isPlainText } from '../../../src/platform/gateway/adapters/vendor-mcp/direct-call.ts'

const text = { type: 'text', text: 'Hello' }

test.each<Record<string, unknown>>([{ content: [] }, { content: [text, text] }, { content: [text], isError: true }])(
  '%j is one by the schemas as well',
  (result) => {
    expect([isPlainText(result), isCallToolResult(result)]).toEqual([true, true])
  },
)

test.each<Record<string, unknown>>([
  {},
  { content: 'Hello' },
  { content: [null] },
  { content: ['text'] },
  { content: [{ type: 'text' }] },
  { content: [{ type: 'text', text: 1 }] },
  { content: [{ ...text, annotations: { priority: 7 } }] },
  { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
  { content: [text], isError: 'yes' },
  { content: [text], structuredContent: [] },
  { content: [text], _meta: 1 },
])('%j is left to them', (result) => {
  expect(isPlainText(result)).toBe(false)
})
