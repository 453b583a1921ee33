import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonFile } from '../../src/kit/process/json-setting.ts'

const path = join(mkdtempSync(join(tmpdir(), 'json-setting-')), 'prices.json')

function problems(text: string, schema: z.ZodType = z.unknown()) {
  writeFileSync(path, text)
  return jsonFile(schema)
    .safeParse(path)
    .error?.issues.map(({ message }) => message)
}

const Prices = z.record(z.string(), z.object({ price: z.number('is no number') }))

test('an invalid value is reported by its JSON pointer', () => {
  expect(problems('{ "models/large~1": { "price": "high" } }', Prices)).toEqual([
    'in the file, at /models~1large~01/price: is no number',
  ])
})

test('a file of the wrong type is reported without a pointer', () => {
  expect(problems('[]', Prices)).toEqual(['in the file: Invalid input: expected record, received array'])
})

test.each([
  ['a trailing comma in an object', '{\n  "a": 1,\n}', 3, 1],
  ['a trailing comma in a list', '[1, ]', 1, 5],
  ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['a missing colon', '{ "a" 1 }', 1, 7],
  ['a key without quotes', '{\n  a: 1 }', 2, 3],
  ['single quotes', "{ 'a': 1 }", 1, 3],
  ['a comment', '{\n  // mine\n  "a": 1 }', 2, 3],
  ['a string without an end', '{ "a": "b\n}', 1, 8],
  ['an unknown escape', '["\\x41"]', 1, 2],
  ['a number with a leading zero', '[012]', 1, 3],
  ['an unknown word, which may be a secret', '[CANARY-SECRET]', 1, 2],
  ['the wrong bracket', '{ "a": [1} }', 1, 10],
  ['a missing bracket', '{ "a": [1, 2]', 1, 14],
  ['text after the end', '{}\n{}', 2, 1],
  ['an empty file', '', 1, 1],
  ['a byte order mark', '\ufeff{}', 1, 1],
])('%s is reported by line and column, without quoting the file', (_, text, line, column) => {
  expect(problems(text)).toEqual([
    `names a file that is not valid JSON: look at line ${line}, column ${column} (${path})`,
  ])
})
