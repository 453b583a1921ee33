import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { isSignedCallback } from '../../../src/onboarding/domain/callback.ts'

const rule = { callbackSignature: { parameter: 'hmac' } }
/** The example from Shopify’s documentation. */
const callback = {
  code: '0907a61c0c8d55e99db179b68161bc00',
  hmac: '700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf',
  shop: 'some-shop.myshopify.com',
  state: '0.6784241404160823',
  timestamp: '1337178173',
}
const secret = new Secret('hush')

test('verifies the vendor’s example', () => {
  expect(isSignedCallback(rule, callback, secret)).toBe(true)
  expect(isSignedCallback(rule, { ...callback, hmac: callback.hmac.toUpperCase() }, secret)).toBe(true)
})

test.each([
  ['another shop', { ...callback, shop: 'evil.myshopify.com' }],
  ['another code', { ...callback, code: 'another' }],
  ['an extra parameter', { ...callback, host: 'x' }],
  ['a missing parameter', { ...callback, timestamp: undefined as never }],
  ['two parameters merged into one', { ...callback, code: `${callback.code}&shop=${callback.shop}`, shop: '' }],
  ['no signature', { ...callback, hmac: undefined as never }],
  ['an empty signature', { ...callback, hmac: '' }],
  ['half a signature', { ...callback, hmac: callback.hmac.slice(0, 32) }],
  ['no hex', { ...callback, hmac: 'z'.repeat(64) }],
])('rejects %s', (_, changed) => {
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))

  expect(isSignedCallback(rule, given, secret)).toBe(false)
})

test('rejects a signature by another secret or without a secret', () => {
  expect(isSignedCallback(rule, callback, new Secret('another'))).toBe(false)
  expect(isSignedCallback(rule, callback, undefined)).toBe(false)
})

test('needs no signature if the profile does not require one', () => {
  expect(isSignedCallback({}, { code: 'code' }, undefined)).toBe(true)
})
