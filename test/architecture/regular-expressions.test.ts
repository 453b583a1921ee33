// Case 59 of the attack catalogue: no text slows one of our patterns down, however it was made.
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

type Pattern = { file: string; source: string; flags: string }

/** Longer than anything we give to a pattern: headers end at 16 kB. */
const length = 16_000
/** For all texts together, which take a few milliseconds where time grows with length alone. */
const limitMs = 1_000

test('the search finds what it should', () => {
  expect(patternsIn('x.ts', "const a = /a+b/gi.test(text) // not /this/\nconst b = 4 / 2 / 1\nf(/[/]'/u)")).toEqual([
    { file: 'x.ts', source: 'a+b', flags: 'gi' },
    { file: 'x.ts', source: "[/]'", flags: 'u' },
  ])
  // They would be stopped after any time; half of a second in all is enough to know.
  expect(isSlow({ file: 'x.ts', source: '^(a+)+$', flags: '' }, 100)).toBe(true)
  expect(isSlow({ file: 'x.ts', source: 'a+a+b', flags: '' }, 100)).toBe(true)
  expect(isSlow({ file: 'x.ts', source: '^a+$', flags: '' })).toBe(false)
})

test('every pattern in src answers at once, whatever it is given', () => {
  const found = sourceFiles().flatMap((file) => patternsIn(file, readSource(file)))
  const patterns = [...new Map(found.map((each) => [`/${each.source}/${each.flags}`, each])).values()]

  const slow = patterns.filter((pattern) => isSlow(pattern))

  expect(patterns.length).toBeGreaterThan(50)
  expect(slow).toEqual([])
})

/** A slash begins a pattern where a value may stand; one inside a class does not end it. */
function patternsIn(file: string, text: string): Pattern[] {
  const code = text.replace(/^\s*(\/?\*|\/\/).*$/gm, '').replace(/\s\/\/ .*$/gm, '')
  const literals =
    /(?<=(?:[(,=:[!&|?\n]|=>|return|^)\s*)\/((?:\[(?:\\.|[^\]\n])*\]|\\.|[^/\n\\[*])(?:\[(?:\\.|[^\]\n])*\]|\\.|[^/\n\\[])*)\/([dgimsuvy]*)(?!\w)/gm
  return [...code.matchAll(literals)].map(([, source = '', flags = '']) => ({ file, source, flags }))
}

/** A bad pattern is slow every time; a machine that stood still for a moment is not. */
const isSlow = (pattern: Pattern, afterMs = limitMs): boolean => [1, 2, 3].every(() => isStopped(pattern, afterMs))

/** Stopped from outside: a bad pattern would not end by itself. */
function isStopped({ source, flags }: Pattern, afterMs: number): boolean {
  context.pattern = new RegExp(source, flags.replace(/[gy]/g, ''))
  context.texts = attacks(source)
  try {
    runInContext('for (const text of texts) pattern.test(text)', context, { timeout: afterMs })
    return false
  } catch {
    return true
  }
}

const context: { pattern?: RegExp; texts?: string[] } = createContext({})

/** Its own characters, alone and in pairs, repeated, and then something that it does not expect. */
function attacks(source: string): string[] {
  const own = source.replace(/\\[dwsbDWSBpP]|[\^$*+?(){}|[\]\\]/g, '')
  const characters = [...new Set([...own.slice(0, 12), 'a', '0', ' ', '-'])]
  const units = [...characters, ...characters.flatMap((one) => characters.slice(0, 6).map((two) => one + two))]
  return units.flatMap((unit) => {
    const text = unit.repeat(length / unit.length)
    return [`${text}\u0000`, `${own.slice(0, 8)}${text}!`]
  })
}
