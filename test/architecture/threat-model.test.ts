import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const document = readFileSync(new URL('docs/threat-model.md', root), 'utf8')

/** `file`: how the name of one of its tests begins, or what stands in it. */
const walls = [...document.matchAll(/`(test\/[\w/-]+\.test\.ts)`: ([^|`]+?)(?=, `test\/| \|$)/gm)].map(
  ([, file = '', name = '']) => ({ file, name: name.trim() }),
)

test('many walls are named', () => {
  expect(walls.length).toBeGreaterThan(20)
})

test.each(walls)('"$name" is a test in $file', ({ file, name }) => {
  const path = new URL(file, root)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const names = [...text.matchAll(/['"`]([^'"`\n]+)['"`]/g)].map(([, found = '']) => found)

  expect(names.some((found) => found.startsWith(name))).toBe(true)
})

test('every row about somebody has a test, or nothing to defend', () => {
  const [, table = ''] = /## What somebody gets[^\n]*\n\n\| With[^\n]*\n\|[-|]+\n((?:\|.*\n)+)/.exec(document) ?? []
  const rows = table.trim().split('\n')

  const bare = rows.filter((row) => !row.includes('`test/')).map((row) => row.split('|')[1]?.trim())

  expect(rows.length).toBeGreaterThan(15)
  expect(bare).toEqual(["**an operator's shell**"])
})
