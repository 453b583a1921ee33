import { createPublicKey, verify } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { expect, test } from 'vitest'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { signingKeys } from '../../src/kit/crypto/signing-keys.ts'

const master = (fill: number) => new Secret(Buffer.alloc(32, fill))
const old = { primary: 'old', keys: new Map([['old', master(1)]]) }
const both = {
  primary: 'new',
  keys: new Map([
    ['new', master(2)],
    ['old', master(1)],
  ]),
}

test('a signature is valid for the text, the key and the purpose alone', () => {
  const keys = signingKeys(old, 'heads')
  const signature = keys.sign('text')

  expect(keys.isValid(keys.kid, 'text', signature)).toBe(true)
  expect(keys.isValid(keys.kid, 'texts', signature)).toBe(false)
  expect(signingKeys(old, 'other').isValid(keys.kid, 'text', signature)).toBeUndefined()
})

test('after a rotation the new key signs, and the old one still verifies', () => {
  const before = signingKeys(old, 'heads')
  const after = signingKeys(both, 'heads')

  expect(after.kid).not.toBe(before.kid)
  expect(after.isValid(before.kid, 'text', before.sign('text'))).toBe(true)
  expect(before.isValid(after.kid, 'text', after.sign('text'))).toBeUndefined()
  expect(after.publicKeys.map(({ kid }) => kid).sort()).toEqual([before.kid, after.kid].sort())
})

test('public keys are JWKs with their thumbprint, and have no private part', async () => {
  const keys = signingKeys(old, 'heads')
  const [jwk] = keys.publicKeys
  if (!jwk) throw new Error('no key')

  expect(Object.keys(jwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  expect(await calculateJwkThumbprint(jwk)).toBe(jwk.kid)
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  expect(verify(null, Buffer.from('text'), publicKey, keys.sign('text'))).toBe(true)
})
