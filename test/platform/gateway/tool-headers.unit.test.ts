// Valid declarations of arguments in headers (2026-07-28).
import { expect, test } from 'vitest'
import { declaresSoundHeaders } from '../../../src/platform/gateway/domain/vendor/tool-headers.ts'

const argument = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name })
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

test.each<[string, Record<string, unknown>]>([
  ['none', schema({ a: { type: 'object' } })],
  ['one of each type', schema({ a: argument('A'), b: argument('B', 'integer'), c: argument('C', 'boolean') })],
  ['one inside another argument', schema({ a: schema({ b: argument('B') }) })],
  ['an argument of that name', schema({ 'x-mcp-header': { type: 'string' } })],
  ['a value that resembles one', schema({ a: { type: 'object', default: argument('') } })],
])('%s is valid', (_what, given) => {
  expect(declaresSoundHeaders(given)).toBe(true)
})

test.each<[string, Record<string, unknown>]>([
  ['an empty name', schema({ a: argument('') })],
  ['a name that is not text', schema({ a: argument(1) })],
  ['a space', schema({ a: argument('My Header') })],
  ['a colon', schema({ a: argument('My:Header') })],
  ['a non-ASCII letter', schema({ a: argument('Größe') })],
  ['a line break', schema({ a: argument('A\r\nB') })],
  ['a number', schema({ a: argument('A', 'number') })],
  ['an object', schema({ a: argument('A', 'object') })],
  ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
  ['the same name twice, in different case', schema({ a: argument('Name'), b: argument('NAME') })],
  ['all arguments together', schema({}, argument('A'))],
  ['a list item', schema({ a: { type: 'array', items: argument('A') } })],
  ['an alternative of several', schema({}, { anyOf: [schema({ a: argument('A') })] })],
  ['a definition', schema({}, { $defs: { a: argument('A') } })],
])('%s is invalid', (_what, given) => {
  expect(declaresSoundHeaders(given)).toBe(false)
})

test('handles schemas of any depth', () => {
  let deep: Record<string, unknown> = argument('')
  for (let depth = 0; depth < 100_000; depth++) deep = { not: deep }

  expect(declaresSoundHeaders(deep)).toBe(false)
})
