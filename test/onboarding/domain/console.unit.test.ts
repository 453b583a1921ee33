import { expect, test } from 'vitest'
import { mayActAs, pageOfConsole, roleIn } from '../../../src/onboarding/domain/console.ts'

const names = { viewer: 'readers', agent: 'support', admin: 'leads' }

test.each([
  ['one word', 'support', 'agent'],
  ['the highest of several', ['readers', 'leads', 'support'], 'admin'],
  ['unknown values', ['accounting'], undefined],
  ['our own name for a role', 'admin', undefined],
  ['no claim', undefined, undefined],
  ['a value that is not a string', [{ name: 'leads' }, 7, null], undefined],
  ['a value that only contains a role', 'leads-of-something-else', undefined],
  ['an empty value', '', undefined],
])('reads the role from %s', (_, claim, role) => {
  expect(roleIn(claim, names)).toBe(role)
})

test('a role without a configured claim value is unavailable', () => {
  expect(roleIn(['', 'support'], { ...names, admin: '' })).toBe('agent')
})

test('each role has the permissions of the lower ones', () => {
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
])('sign-in with next=%j redirects to %s', (next, path) => {
  expect(pageOfConsole(next)).toBe(path)
})
