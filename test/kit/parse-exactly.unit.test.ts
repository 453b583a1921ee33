import { expect, test } from 'vitest'
import { parseExactly } from '../../src/kit/token-answer/parse-exactly.ts'

test.each([
  ['9007199254740993', '9007199254740993'],
  ['[{"id":-3074457358607431473}]', [{ id: '-3074457358607431473' }]],
  ['9007199254740991', 9_007_199_254_740_991],
  ['1234567890123456789.5', 1_234_567_890_123_456_800],
  ['1234567890123456789e2', 123_456_789_012_345_680_000],
  [
    '{"a":"say \\"9007199254740993\\"","b":"c:\\\\","d":9007199254740993}',
    {
      a: 'say "9007199254740993"',
      b: 'c:\\',
      d: '9007199254740993',
    },
  ],
])('%s is parsed without rounding integers', (text, value) => {
  expect(parseExactly(text)).toEqual(value)
})

test('A1: a long number is parsed in linear time', { timeout: 10_000 }, () => {
  expect(parseExactly(`[${'7'.repeat(250 * 1024)}.5]`)).toEqual([Number.POSITIVE_INFINITY])
})

test('invalid JSON is rejected', () => {
  expect(() => parseExactly('{"id":9007199254740993')).toThrow(SyntaxError)
})
