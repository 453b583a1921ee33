import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKeys, type Keyring } from '../../../kit/crypto/sealed-box.ts'

/** A token is the signed ID of its resource, so that none is stored, and the same is shown each time. */
export function previewTokens(keyring: Keyring, purpose: 'preview token' | 'custom domain' = 'preview token') {
  const keys = derivedKeys(keyring, purpose)
  const signed = (id: string, key: KeyObject) => `${id}.${createHmac('sha256', key).update(id).digest('base64url')}`
  return {
    make: (id: string): string => signed(id, keys.get(keyring.primary) as KeyObject),
    /** The ID, if the token is ours. */
    read(token: string): string | undefined {
      const [id = ''] = token.split('.')
      return [...keys.values()].some((key) => isSame(token, signed(id, key))) ? id : undefined
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
