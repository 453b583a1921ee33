import { expect, test } from 'vitest'
import { byteMask } from '../../../src/platform/gateway/domain/relay/byte-mask.ts'

const masked = (text: string, ...secrets: string[]) => {
  const mask = byteMask(secrets)
  const parts = [...text].map((letter) => Buffer.from(mask.push(Buffer.from(letter))).toString())
  return parts.join('') + Buffer.from(mask.end()).toString()
}

test('a body that ends within a secret shows none of it from eight characters on', () => {
  expect(masked('the token is CANARY-tok', 'CANARY-token-1')).toBe(`the token is ${'*'.repeat(10)}`)
})

test('a body that ends with the first letters of a secret is not changed', () => {
  expect(masked('CANARY', 'CANARY-token-1')).toBe('CANARY')
})
