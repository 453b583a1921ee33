import { describe, expect, test } from 'vitest'
import { argumentsFrom, readableAnswer, toolOf } from '../../src/demo/portal/domain/tool.ts'

const tool = toolOf({
  name: 'list_files',
  description: 'Finds files.',
  inputSchema: {
    properties: { query: { type: 'string' }, pageSize: { type: 'integer' }, filter: { type: 'object' } },
    required: ['query'],
  },
})

test('builds a tool’s form from its schema', () => {
  expect(tool.title).toBe('List files')
  expect(tool.fields.map(({ label, required, value }) => [label, required, value])).toEqual([
    ['Query', true, 'text'],
    ['Page size', false, 'number'],
    ['Filter', false, 'json'],
  ])
})

test.each([
  ['strings and numbers', { query: 'a', pageSize: '5' }, { query: 'a', pageSize: 5 }],
  ['objects as JSON', { filter: '{"kind":"csv"}' }, { filter: { kind: 'csv' } }],
  ['invalid JSON as text', { filter: '{kind' }, { filter: '{kind' }],
  ['no empty fields', { query: '', pageSize: '' }, {}],
  ['no unknown fields', { query: 'a', other: 'b' }, { query: 'a' }],
])('a form sends %s', (_case, form, expected) => {
  expect(argumentsFrom(tool, form)).toEqual(expected)
})

describe('a result is shown as', () => {
  test.each([
    ['a table if it is a list of files', '{"files":[{"id":"f","name":"a.txt","size":3}]}', 'files'],
    ['its content if it is a file', '{"name":"a.txt","content":"hello"}', 'text'],
    ['text otherwise', 'plain words', 'text'],
  ])('%s', (_case, text, kind) => {
    expect(readableAnswer({ isError: false, texts: [text] }).kind).toBe(kind)
  })

  test('a failure if the tool reports an error', () => {
    expect(readableAnswer({ isError: true, texts: ['no'] })).toEqual({ kind: 'failed', text: 'no' })
  })
})
