import { expect, test } from 'vitest'
import { mayActAs, pageOfConsole, roleIn } from '../../../src/onboarding/domain/console.ts'

const names = { viewer: 'readers', agent: 'support', admin: 'leads' }

test.each([
  ['one word', 'support', 'agent'],
  ['the highest of several', ['readers', 'leads', 'support'], 'admin'],
  ['words that mean nothing here', ['accounting'], undefined],
  ['a role by our own name for it', 'admin', undefined],
  ['no claim', undefined, undefined],
  ['something else than words', [{ name: 'leads' }, 7, null], undefined],
  ['a word that only contains one', 'leads-of-something-else', undefined],
  ['an empty word', '', undefined],
])('the role is read from %s', (_, claim, role) => {
  expect(roleIn(claim, names)).toBe(role)
})

test('a role without a word of the issuer can be had by nobody', () => {
  expect(roleIn(['', 'support'], { ...names, admin: '' })).toBe('agent')
})

test('each role may do what the ones before it may', () => {
  expect([mayActAs('viewer', 'agent'), mayActAs('agent', 'agent'), mayActAs('admin', 'viewer')]).toEqual([
    false,
    true,
    true,
  ])
})

test.each([
  ['/support', '/support'],
  ['/support/connections/con_1?done=x', '/support/connections/con_1?done=x'],
  ['/support?x=1', '/support?x=1'],
  ['/supportive', '/support'],
  ['//evil.example/support', '/support'],
  ['/support/../connect', '/support'],
  ['/support\\evil', '/support'],
  ['/support/\r\nSet-Cookie: x', '/support'],
  [['/support', 'x'], '/support'],
  [undefined, '/support'],
])('after signing in %j leads to %s', (next, path) => {
  expect(pageOfConsole(next)).toBe(path)
})
