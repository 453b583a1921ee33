import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSource } from './source-imports.ts'

const programs = [
  { program: 'onboarding', example: '.env.example' },
  { program: 'platform', example: '.env.platform.example' },
]

const linesOf = (example: string) => readFileSync(new URL(`../../${example}`, import.meta.url), 'utf8').split('\n')

test.each(programs)('$example lists the settings of $program in the order of its config.ts', ({ program, example }) => {
  expect(linesOf(example).filter(isVariable).map(nameOf)).toEqual(configVariables(program))
})

test.each(programs)('each setting in $example has one comment line above it', ({ example }) => {
  const lines = linesOf(example)

  const wrong = lines.filter(
    (line, at) => isVariable(line) && !(/^# \S/.test(lines[at - 1] ?? '') && lines[at - 2] === ''),
  )

  expect(wrong).toEqual([])
})

/** The members of the schema that reads the environment. */
function configVariables(program: string): string[] {
  const [, schema = ''] =
    /const Environment = z\.object\(\{\n(.*?)\n\}\)/s.exec(readSource(`${program}/config.ts`)) ?? []
  return [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name = '']) => name)
}

const isVariable = (line: string) => /^#?[A-Z][A-Z0-9_]*=/.test(line)

const nameOf = (line: string) => line.replace(/^#/, '').replace(/=.*/, '')
