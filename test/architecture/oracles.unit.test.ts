// Tests of attacks on a link end with the same checks. The document lists exceptions with their reason.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('test/onboarding/attacks/', root)

/** Flow integrity, connect sessions and tenants, the provider as adversary. Other cases have their own checks. */
const isAboutLinks = (number: number) => number <= 33 || (number >= 43 && number <= 52)

type FoundTest = { numbers: number[]; name: string; body: string }

test('the search finds tests with their case and body', () => {
  const source = [
    "describe('case 7, theft', () => {",
    "  test('of a code', async () => {",
    '    await world.check(before, {})',
    '  })',
    '',
    '  test.each([',
    '    [1],',
    '  ])(',
    "    'of %s tokens',",
    '    async () => {},',
    '  )',
    '',
    '  const helper = () => world.check(before, {})',
    '})',
    '',
    "test('case 8, more', () =>",
    '  within(async () => {',
    '    await world.check(before, {})',
    '  }))',
    "describe.each([1])('neither', () => {",
    "  test('nor', () => {})",
    '})',
  ].join('\n')

  expect(testsIn(source).map(({ numbers, name, body }) => [numbers, name, asks(body)])).toEqual([
    [[7], 'of a code', true],
    [[7], 'of %s tokens', false],
    [[8], 'case 8, more', true],
    [[], 'nor', false],
  ])
})

test('cases about links check token requests, created resources, leaked secrets and audit entries', () => {
  const tried = readdirSync(folder).flatMap((file) => testsIn(readFileSync(new URL(file, folder), 'utf8')))
  const silent = tried.filter(({ numbers, body }) => numbers.some(isAboutLinks) && !asks(body))

  expect(tried.length).toBeGreaterThan(100)
  expect(silent.map(({ numbers, name }) => `${numbers.join()} ${name}`)).toEqual(explained())
})

/** The table of exceptions in the document. */
function explained(): string[] {
  const document = readFileSync(new URL('docs/security-cases.md', root), 'utf8')
  const [, section = ''] = document.split('## Tests that ask less, and why')
  return [...section.matchAll(/^\| (\d+) \| ([^|]+) \| [^|]+ \|$/gm)].map(([, number, name]) => `${number} ${name}`)
}

const asks = (body: string) => body.includes('.check(')

/** By indentation: a test ends at the next line of the same depth. */
function testsIn(source: string): FoundTest[] {
  const lines = source.split('\n')
  const groups: Array<{ depth: number; numbers: number[] }> = []
  return lines.flatMap((line, at) => {
    const [, indent = '', word] = /^( *)(test|describe)(?:\.each\b.*)?[(<]/.exec(line) ?? []
    if (!word) return []
    const body = wholeFrom(lines, at, indent.length)
    const numbers = casesOf(nameIn(body))
    while ((groups.at(-1)?.depth ?? -1) >= indent.length) groups.pop()
    if (word === 'describe') groups.push({ depth: indent.length, numbers })
    const own = numbers.length > 0 ? numbers : (groups.at(-1)?.numbers ?? [])
    return word === 'test' ? [{ numbers: own, name: nameIn(body), body }] : []
  })
}

function wholeFrom(lines: readonly string[], start: number, depth: number): string {
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line !== '' && line.search(/\S/) <= depth && !/^ *[\])}]/.test(line))
  return [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join('\n')
}

/** The name in the call itself, after the rows of a table. */
const nameIn = (body: string): string => /(?:^ *(?:test|describe)\(|\)\()\s*(['"])(.*?)\1,/ms.exec(body)?.[2] ?? ''

const casesOf = (name: string): number[] => {
  const [, first, second] = /^cases? (\d+)(?: and (\d+))?/.exec(name) ?? []
  return [first, second].flatMap((number) => (number === undefined ? [] : [Number(number)]))
}
