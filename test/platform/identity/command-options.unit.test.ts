import { expect, test } from 'vitest'
import { RedirectUri } from '../../../src/platform/identity/domain/command-options.ts'

test.each([
  'https://app.acme.example/back',
  'https://app.acme.example:8443/back?from=us',
  'http://localhost:3000/back',
  'http://127.0.0.1/back',
  'http://[::1]:3000/back',
  'com.acme.app:/back',
])('allows a browser to be redirected to %s', (address) => {
  expect(RedirectUri.parse(address)).toBe(address)
})

test.each([
  'http://app.acme.example/back',
  'http://localhost.acme.example/back',
  'https://app.acme.example/back#there',
  'https://app.acme.example/back#',
  'javascript:alert(1)',
  'data:text/html,hello',
  'acme:/back',
  '/back',
  '',
])('never redirects a browser to %j', (address) => {
  expect(RedirectUri.safeParse(address).success).toBe(false)
})
