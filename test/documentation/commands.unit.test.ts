// The commands of @causeway/cli that the guides name can be typed as they stand.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readGiven } from '../../packages/cli/src/command.ts'
import { commands } from '../../packages/cli/src/commands.ts'
import { filesBelow } from '../architecture/documents.ts'

const faultOf = (line: string): string | undefined => {
  const command = commands
    .filter(({ name }) => `${line} `.startsWith(`${name} `))
    .sort((one, other) => other.name.length - one.name.length)[0]
  if (!command) return 'unknown'
  const words = line.slice(command.name.length).trim().split(/\s+/).filter(Boolean)
  try {
    readGiven(command, words)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test('each command in a guide has its arguments, and only options that exist', () => {
  const named = filesBelow('docs', /\.md$/).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/(?:`|^)npx causeway ([^`\n]+)/gm)].map(([, line = '']) => ({
      path,
      line,
    })),
  )

  expect(named.map(({ path, line }) => ({ path, line, fault: faultOf(line) })).filter(({ fault }) => fault)).toEqual([])
  expect(named.length).toBeGreaterThan(3)
})
