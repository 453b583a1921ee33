import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sealedBox } from '../../src/kit/crypto/sealed-box.ts'
import { Secret } from '../../src/kit/crypto/secret.ts'

const key = () => new Secret(randomBytes(32))
const [old, current] = [key(), key()]
const before = sealedBox({ primary: 'old', keys: new Map([['old', old]]) })
const during = sealedBox({
  primary: 'new',
  keys: new Map([
    ['old', old],
    ['new', current],
  ]),
})
const after = sealedBox({ primary: 'new', keys: new Map([['new', current]]) })

const place = 'acme|lnk_1|escrow'
const plain = new Secret('CANARY-RT-1')

test('a sealed value opens in its own place, and does not print', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), (text, context) => {
      return before.open(before.seal(new Secret(text), context), context).reveal() === text
    }),
  )
  const envelope = before.seal(plain, place)

  expect(envelope).not.toContain('CANARY')
  expect(inspect(before.open(envelope, place))).toBe('[secret]')
})

test('equal texts get different envelopes', () => {
  expect(before.seal(plain, place)).not.toBe(before.seal(plain, place))
})

test.each(['', 'acme|lnk_1', 'acme|lnk_2|escrow', 'globex|lnk_1|escrow', 'acme|lnk_1|waiting-code', `${place} `])(
  'an envelope does not open in %j',
  (elsewhere) => {
    expect(() => before.open(before.seal(plain, place), elsewhere)).toThrow()
  },
)

describe('a tampered envelope', () => {
  const envelope = before.seal(plain, place)
  const [version, keyId, wrapped = '', body = ''] = envelope.split('.')
  const parts = { 'wrapped key': wrapped, body }

  test.each(Object.entries(parts))('does not open if any byte of the %s was changed', (_name, part) => {
    const bytes = Buffer.from(part, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      const tampered = envelope.replace(part, changed.toString('base64url'))

      expect(() => before.open(tampered, place), `byte ${at}`).toThrow()
    }
  })

  test.each(Object.entries(parts))('does not open if the %s is truncated', (_name, part) => {
    const bytes = Buffer.from(part, 'base64url')
    for (let left = 0; left < bytes.length; left++) {
      const tampered = envelope.replace(part, bytes.subarray(0, left).toString('base64url'))

      expect(() => before.open(tampered, place), `${left} bytes left`).toThrow()
    }
  })

  test.each([
    ['another version', `v2.${keyId}.${wrapped}.${body}`],
    ['an unknown key', `${version}.other.${wrapped}.${body}`],
    ['an extra part', `${envelope}.${body}`],
    ['a missing part', `${version}.${keyId}.${wrapped}`],
    ['its parts swapped', `${version}.${keyId}.${body}.${wrapped}`],
    ['the key of another record', `${version}.${keyId}.${before.seal(plain, place).split('.')[2]}.${body}`],
    ['no content', ''],
  ])('does not open with %s', (_name, tampered) => {
    expect(() => before.open(tampered, place)).toThrow()
  })

  test('does not reveal its content if it does not open', () => {
    const problem = (() => {
      try {
        return before.open(envelope, 'elsewhere')
      } catch (error) {
        return error
      }
    })()

    expect(inspect(problem)).not.toMatch(/CANARY|lnk_1/)
  })
})

describe('after a key rotation', () => {
  const envelope = before.seal(plain, place)

  test('old envelopes open while their key is loaded', () => {
    expect(during.open(envelope, place).reveal()).toBe('CANARY-RT-1')
    expect(() => after.open(envelope, place)).toThrow('no encryption key with id "old" is loaded')
  })

  test('new envelopes use the new key', () => {
    expect(during.isCurrent(envelope)).toBe(false)
    expect(during.isCurrent(during.seal(plain, place))).toBe(true)
    expect(after.open(during.seal(plain, place), place).reveal()).toBe('CANARY-RT-1')
  })

  test('rewrapping changes only the wrapped key, and makes the old key obsolete', () => {
    const again = during.rewrap(envelope, place)

    expect(again.split('.')[3]).toBe(envelope.split('.')[3])
    expect(during.isCurrent(again)).toBe(true)
    expect(after.open(again, place).reveal()).toBe('CANARY-RT-1')
  })

  test('an envelope cannot be rewrapped into another place', () => {
    expect(() => during.rewrap(envelope, 'elsewhere')).toThrow()
  })
})

describe('a briefly sealed value', () => {
  const hour = 60 * 60 * 1_000
  const keyring = { primary: 'old', keys: new Map([['old', old]]) }
  const envelope = sealedBox(keyring, () => 7 * hour).sealBriefly(plain, place)
  const [version, keyId, , body = ''] = envelope.split('.')

  test('opens in later hours, and after a key rotation', () => {
    expect(envelope).not.toContain('CANARY')
    expect(
      sealedBox(keyring, () => 9 * hour)
        .open(envelope, place)
        .reveal(),
    ).toBe('CANARY-RT-1')
    expect(during.open(envelope, place).reveal()).toBe('CANARY-RT-1')
  })

  test('gets a different envelope each time, by an hourly key', () => {
    const box = sealedBox(keyring, () => 7 * hour)
    expect(box.sealBriefly(plain, place)).not.toBe(box.sealBriefly(plain, place))
    expect(() => before.open(`${version}.${keyId}.8.${body}`, place)).toThrow()
  })

  test.each([
    ['another place', envelope, `${place} `],
    ['an unknown key', `${version}.other.7.${body}`, place],
    ['an invalid hour', `${version}.${keyId}.7e0.${body}`, place],
    ['an extra part', `${envelope}.${body}`, place],
    ['a missing part', `${version}.${keyId}.7`, place],
    ['the version of the other kind', envelope.replace(/^b1/, 'v1'), place],
  ])('does not open with %s', (_name, tampered, context) => {
    expect(() => before.open(tampered, context)).toThrow()
  })

  test('does not open if any byte was changed', () => {
    const bytes = Buffer.from(body, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      expect(() => before.open(envelope.replace(body, changed.toString('base64url')), place), `byte ${at}`).toThrow()
    }
  })

  test('bounds the cache of hourly keys', () => {
    for (let made = 0; made < 100; made++) {
      expect(() => before.open(`${version}.${keyId}.${made}.${body}`, 'elsewhere')).toThrow()
    }
    expect(before.open(envelope, place).reveal()).toBe('CANARY-RT-1')
  })
})
