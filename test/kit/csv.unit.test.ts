import { expect, test } from 'vitest'
import { csv } from '../../src/kit/http/csv.ts'

test('quotes cells with commas, quotes and line breaks', () => {
  expect(csv([['a,b', 'say "hi"', 'two\r\nlines'], ['plain']])).toBe('"a,b","say ""hi""","two\r\nlines"\r\nplain\r\n')
})

test.each(['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', '  =1', '\uFF1D1', ' \uFF20sum'])(
  'marks a formula as text: %j',
  (text) => {
    expect(csv([[text]]).replace(/^"/, '')).toMatch(/^'/)
  },
)

test.each(['acme', 'user@acme.example', 'a=b', 'three - four', '2026-01-02', ''])('%j is unchanged', (text) => {
  expect(csv([[text]])).toBe(`${text}\r\n`)
})

test('marks a formula after a semicolon, which some spreadsheets use as a separator', () => {
  expect(csv([['name;=1; +2;three']])).toBe("name;'=1;' +2;three\r\n")
  expect(csv([['name;"=1']])).toBe('"name;\'""=1"\r\n')
})
