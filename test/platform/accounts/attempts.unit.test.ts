import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attempts } from './attempts.ts'
import { leaksIn } from './leaks.ts'

const document = readFileSync(new URL('../../../docs/security-cases.md', import.meta.url), 'utf8')

test('the document lists every attempt, and there are more than forty', () => {
  const [, section = ''] = /## From inside a command\n([\s\S]*?)\n## /.exec(document) ?? []
  const listed = [...section.matchAll(/^\| (?!Attempt|---)([^|]+) \|/gm)].flatMap(([, cell = '']) => {
    const [group = '', names] = cell.split(': ')
    return names === undefined ? [group] : names.split(', ').map((name) => `${group}: ${name}`)
  })

  expect(listed.sort()).toEqual(attempts.map(({ name }) => name).sort())
  expect(attempts.length).toBeGreaterThan(40)
})

test.each([
  ['verbatim', 'x CANARY-Access/Token-1-hUsH y'],
  ['in pieces', 'CANARY-\nAccess/To\nken-1-hUsH'],
  ['in part', 'the token is Access/Token'],
  ['in lower case', 'canary-access/token-1-hush'],
  ['escaped for JSON', 'CANARY-Access\\/Token-1-hUsH'],
  ['percent-encoded', 'CANARY-Access%2FToken-1-hUsH'],
  ['in UTF-16', [...'CANARY-Access/Token-1-hUsH'].join('\0')],
  ['in Basic authentication', btoa('x-access-token:CANARY-Access/Token-1-hUsH')],
])('a credential is found %s', (_, output) => {
  expect(leaksIn(output, ['CANARY-Access/Token-1-hUsH'])).not.toEqual([])
})

test('a masked credential is not found', () => {
  expect(leaksIn(`Bearer ${'*'.repeat(26)}`, ['CANARY-Access/Token-1-hUsH'])).toEqual([])
})
