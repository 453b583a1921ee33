import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSource } from './source-imports.ts'

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')

test.each(['onboarding', 'platform'])(
  '.env.example has the variables of %s, all of them, in their order',
  (program) => {
    expect(exampleVariables(program)).toEqual(configVariables(program))
  },
)

test('every variable in .env.example has a comment above it', () => {
  const lines = example.split('\n')

  const bare = lines.filter((line, at) => isVariable(line) && !/^# \S/.test(lines[at - 1] ?? ''))

  expect(bare).toEqual([])
})

/** The members of the one schema that reads the environment. */
function configVariables(program: string): string[] {
  const [, schema = ''] =
    /const Environment = z\.object\(\{\n(.*?)\n\}\)/s.exec(readSource(`${program}/config.ts`)) ?? []
  return [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name = '']) => name)
}

function exampleVariables(program: string): string[] {
  const section = example.split(/^## /m).find((text) => text.startsWith(program)) ?? ''
  return section.split('\n').filter(isVariable).map(nameOf)
}

const isVariable = (line: string) => /^#?[A-Z][A-Z0-9_]*=/.test(line)

const nameOf = (line: string) => line.replace(/^#/, '').replace(/=.*/, '')
