import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKeys, type Keyring } from './sealed-box.ts'

/** HMAC-SHA-256. Signatures of every key in the ring are valid. */
type Signer = { sign(text: string): string; isValid(text: string, signature: string): boolean }

export function signer(keyring: Keyring, purpose: string): Signer {
  const keys = derivedKeys(keyring, purpose)
  const mac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text) => `${keyring.primary}.${mac(keys.get(keyring.primary) as KeyObject, text).toString('base64url')}`,
    isValid(text, signature) {
      const [id = '', given = ''] = signature.split('.')
      const key = keys.get(id)
      const expected = key && mac(key, text)
      const found = Buffer.from(given, 'base64url')
      return expected?.length === found.length && timingSafeEqual(expected, found)
    },
  }
}
