import { hash, randomBytes } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'

export const apiKeyPrefix = 'cwp_'

/** Secret scanners find leaked keys by the prefix. */
const pattern = /^cwp_[A-Za-z0-9_-]{11}_[A-Za-z0-9_-]{43}$/

export const looksLikeApiKey = (text: string): boolean => pattern.test(text)

export type NewApiKey = { id: string; key: Secret; hash: Buffer; last4: string }

export function newApiKey(): NewApiKey {
  const id = randomBytes(8).toString('base64url')
  const key = `cwp_${id}_${randomBytes(32).toString('base64url')}`
  return { id, key: new Secret(key), hash: hashOf(key), last4: key.slice(-4) }
}

/** Keys have 256 random bits, so a slow hash is unnecessary. */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')
