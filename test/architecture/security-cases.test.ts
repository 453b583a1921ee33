import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('test/onboarding/attacks/', root)
const document = readFileSync(new URL('docs/security-cases.md', root), 'utf8')

const listed = [...document.matchAll(/^\| (\d+) \|.*`([\w-]+\.test\.ts)` \|$/gm)].map(([, number, file]) => ({
  number: Number(number),
  file: file ?? '',
}))

test.each(listed)('case $number is tried in $file', ({ number, file }) => {
  expect(casesIn(file)).toContain(number)
})

test('every case that is tried is listed', () => {
  const tried = readdirSync(folder).flatMap(casesIn)
  const known = new Set(listed.map(({ number }) => number))

  expect([...new Set(tried)].filter((number) => !known.has(number))).toEqual([])
})

/** Tests and the groups they stand in say their case; a group may stand for two. */
function casesIn(file: string): number[] {
  const names = readFileSync(new URL(file, folder), 'utf8').matchAll(
    /(?:test|describe)\(\s*['"]cases? (\d+)(?: and (\d+))?/g,
  )
  return [...names].flatMap(([, first, second]) => [Number(first), ...(second ? [Number(second)] : [])])
}
