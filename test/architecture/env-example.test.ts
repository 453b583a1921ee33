import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSource } from './source-imports.ts'

const linesFor = (program: string) =>
  readFileSync(new URL(`../../.env.${program}.example`, import.meta.url), 'utf8').split('\n')

const programs = ['onboarding', 'platform']

test.each(programs)('the example of %s has its variables, all of them, in their order', (program) => {
  expect(linesFor(program).filter(isVariable).map(nameOf)).toEqual(configVariables(program))
})

test.each(programs)('every variable in the example of %s has a comment above it', (program) => {
  const lines = linesFor(program)

  const bare = lines.filter((line, at) => isVariable(line) && !/^# \S/.test(lines[at - 1] ?? ''))

  expect(bare).toEqual([])
})

/** The members of the one schema that reads the environment. */
function configVariables(program: string): string[] {
  const [, schema = ''] =
    /const Environment = z\.object\(\{\n(.*?)\n\}\)/s.exec(readSource(`${program}/config.ts`)) ?? []
  return [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name = '']) => name)
}

const isVariable = (line: string) => /^#?[A-Z][A-Z0-9_]*=/.test(line)

const nameOf = (line: string) => line.replace(/^#/, '').replace(/=.*/, '')
