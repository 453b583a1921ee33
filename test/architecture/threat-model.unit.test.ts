import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const document = readFileSync(new URL('docs/threat-model.md', root), 'utf8')

/** `file`: the beginning of the name of one of its tests. */
const walls = [...document.matchAll(/`(test\/[\w/.-]+\.test\.ts)`: ([^|`]+?)(?=, `test\/| \|$)/gm)].map(
  ([, file = '', name = '']) => ({ file, name: name.trim() }),
)

test('tests named in the document exist', () => {
  const missing = walls.filter(({ file, name }) => {
    const path = new URL(file, root)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return ![...text.matchAll(/['"`]([^'"`\n]+)['"`]/g)].some(([, found = '']) => found.startsWith(name))
  })

  expect(walls.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

test('every compromise has a test, except an operator’s shell', () => {
  const [, table = ''] = /## Impact of a compromise\n\n\| With[^\n]*\n\|[-|]+\n((?:\|.*\n)+)/.exec(document) ?? []
  const rows = table.trim().split('\n')

  const bare = rows.filter((row) => !row.includes('`test/')).map((row) => row.split('|')[1]?.trim())

  expect(rows.length).toBeGreaterThan(15)
  expect(bare).toEqual(["**an operator's shell**"])
})
