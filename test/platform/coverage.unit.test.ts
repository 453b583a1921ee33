import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const table = readFileSync(new URL('docs/platform/coverage.md', root), 'utf8')
const rows = [...table.matchAll(/^\| (.+) \| `(test\/[^`]+)` \| (.+) \|$/gm)].map(([, rule, file, name]) => ({
  rule,
  file: file as string,
  name: name as string,
}))

test('every test in the coverage table exists', () => {
  const missing = rows.filter(({ file, name }) => {
    const path = new URL(file, root)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(name)
  })

  expect(rows.length).toBeGreaterThan(60)
  expect(missing).toEqual([])
})
