import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonMistake } from '../../src/kit/process/json-mistake.ts'
import { jsonFile } from '../../src/kit/process/json-setting.ts'

test.each([
  ['a comma too many in an object', '{\n  "a": 1,\n}', 3, 1],
  ['a comma too many in a list', '[1, ]', 1, 5],
  ['a comma that is missing', '{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['a colon that is missing', '{ "a" 1 }', 1, 7],
  ['a key without quotes', '{\n  a: 1 }', 2, 3],
  ['single quotes', "{ 'a': 1 }", 1, 3],
  ['a comment', '{\n  // mine\n  "a": 1 }', 2, 3],
  ['a string that does not end', '{ "a": "b\n}', 1, 8],
  ['an escape that there is not', '["\\x41"]', 1, 2],
  ['a number with a zero before it', '[012]', 1, 2],
  ['a word that is none of JSON', '[True]', 1, 2],
  ['the wrong bracket', '{ "a": [1} }', 1, 10],
  ['a bracket that is missing', '{ "a": [1, 2]', 1, 14],
  ['more after the end', '{}\n{}', 2, 1],
  ['nothing', '', 1, 1],
  ['a byte order mark', '\ufeff{}', 1, 1],
])('%s is found where it is', (_, text, line, column) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(jsonMistake(text)).toEqual({ line, column })
})

test.each(['{}', '[]', ' "a\\u00e9\\n" ', '-0.5e+10', '{ "a": [true, false, null, { "b": [] }], "c": "\\"" }'])(
  '%s has none: the end is where it would be',
  (text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(jsonMistake(text)).toEqual({ line: 1, column: text.length + 1 })
  },
)

test('a setting that names a file says where the mistake is, and quotes nothing of it', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'json-mistake-')), 'integrations.json')
  writeFileSync(path, '{\n  "integrations": [{ "clientSecret": CANARY-SECRET }]\n}')

  const { error } = jsonFile(z.unknown()).safeParse(path)

  const message = `names a file that is not valid JSON: look at line 2, column 38 (${path})`
  expect(error?.issues.map((issue) => issue.message)).toEqual([message])
})
