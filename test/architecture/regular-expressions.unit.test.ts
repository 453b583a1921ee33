// Case 59 of the attack catalogue: no input makes a regular expression slow.
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

type Pattern = { file: string; source: string; flags: string }

/** Longer than any input of a pattern: headers end at 16 kB. */
const length = 16_000
/** CPU time for all inputs together, which take a few milliseconds if time grows linearly. */
const limitMs = 1_000

test('the search finds patterns', () => {
  expect(patternsIn('x.ts', "const a = /a+b/gi.test(text) // not /this/\nconst b = 4 / 2 / 1\nf(/[/]'/u)")).toEqual([
    { file: 'x.ts', source: 'a+b', flags: 'gi' },
    { file: 'x.ts', source: "[/]'", flags: 'u' },
  ])
  // These patterns would run into any timeout.
  expect(isSlow({ file: 'x.ts', source: '^(a+)+$', flags: '' }, 20)).toBe(true)
  expect(isSlow({ file: 'x.ts', source: 'a+a+b', flags: '' }, 20)).toBe(true)
  expect(isSlow({ file: 'x.ts', source: '^a+$', flags: '' })).toBe(false)
})

test('patterns in src are fast for any input', () => {
  const found = sourceFiles().flatMap((file) => patternsIn(file, readSource(file)))
  const patterns = [...new Map(found.map((each) => [`/${each.source}/${each.flags}`, each])).values()]

  const slow = patterns.filter((pattern) => isSlow(pattern))

  expect(patterns.length).toBeGreaterThan(50)
  expect(slow).toEqual([])
})

/** A slash begins a pattern where a value is expected; a slash inside a class does not end it. */
function patternsIn(file: string, text: string): Pattern[] {
  const code = text.replace(/^\s*(\/?\*|\/\/).*$/gm, '').replace(/\s\/\/ .*$/gm, '')
  const literals =
    /(?<=(?:[(,=:[!&|?\n]|=>|return|^)\s*)\/((?:\[(?:\\.|[^\]\n])*\]|\\.|[^/\n\\[*])(?:\[(?:\\.|[^\]\n])*\]|\\.|[^/\n\\[])*)\/([dgimsuvy]*)(?!\w)/gm
  return [...code.matchAll(literals)].map(([, source = '', flags = '']) => ({ file, source, flags }))
}

/** In a context with a timeout, because a bad pattern would never return. A busy machine gets more time, not more CPU. */
function isSlow(pattern: Pattern, cpuMs = limitMs, timeout = cpuMs): boolean {
  context.pattern = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  context.texts = attacks(pattern.source)
  const before = process.cpuUsage()
  try {
    runInContext('for (const text of texts) pattern.test(text)', context, { timeout })
    return false
  } catch {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > 0.9 * cpuMs || isSlow(pattern, cpuMs, 2 * timeout)
  }
}

const context: { pattern?: RegExp; texts?: string[] } = createContext({})

/** The pattern's own characters, single and in pairs, repeated, followed by an unexpected one. */
function attacks(source: string): string[] {
  const own = source.replace(/\\[dwsbDWSBpP]|[\^$*+?(){}|[\]\\]/g, '')
  const characters = [...new Set([...own.slice(0, 12), 'a', '0', ' ', '-'])]
  const units = [...characters, ...characters.flatMap((one) => characters.slice(0, 6).map((two) => one + two))]
  return units.flatMap((unit) => {
    const text = unit.repeat(length / unit.length)
    return [`${text}\u0000`, `${own.slice(0, 8)}${text}!`]
  })
}
