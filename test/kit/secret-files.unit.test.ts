import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { parseEnvironment, secretSettings } from '../../src/kit/process/environment.ts'
import { readDocument } from '../architecture/documents.ts'

const Environment = z.object({ SIGNING_KEY: z.string(), PORT: z.string().optional() })

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, text)
  return file
}

test.each(['secret', 'secret\n', 'secret\r\n'])('a secret is read from a file, without its last line break', (text) => {
  expect(parseEnvironment(Environment, { SIGNING_KEY_FILE: fileWith(text) })).toEqual({ SIGNING_KEY: 'secret' })
})

test('a file for a setting that the command does not read is ignored', () => {
  const env = { SIGNING_KEY: 'secret', DATABASE_URL_FILE: '/nowhere' }

  expect(parseEnvironment(Environment, env)).toEqual({ SIGNING_KEY: 'secret' })
})

test.each([
  [{ SIGNING_KEY_FILE: '/nowhere' }, 'SIGNING_KEY_FILE: cannot be read (ENOENT)'],
  [{ SIGNING_KEY_FILE: '/nowhere', SIGNING_KEY: 'secret' }, 'SIGNING_KEY_FILE: cannot be combined with SIGNING_KEY'],
  [{ SIGNING_KEY_FILE: '/dev/null' }, 'SIGNING_KEY_FILE: is empty'],
])('a start with %j fails', (env, message) => {
  expect(() => parseEnvironment(Environment, env)).toThrow(message)
})

test.each(['onboarding', 'platform'])('every secret setting of %s can be read from a file', (program) => {
  const example = readDocument(program === 'onboarding' ? '.env.example' : '.env.platform.example')
  const settings = [...example.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
  const secrets = settings.filter((name) => /SECRET|KEYS?$|DATABASE_URL|REDIS_URL|HEADERS$/.test(name))

  expect(secrets.filter((name) => !(secretSettings as readonly string[]).includes(name))).toEqual([])
  expect(example).toContain('_FILE')
})
