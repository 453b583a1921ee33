import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'

export const apiKeyPrefix = 'cwp_'

/** The prefix lets secret scanners find a key that leaked into a repository. */
const pattern = /^cwp_[A-Za-z0-9_-]{11}_[A-Za-z0-9_-]{43}$/

export const looksLikeApiKey = (text: string): boolean => pattern.test(text)

export type NewApiKey = { id: string; key: Secret; hash: Buffer; last4: string }

export function newApiKey(): NewApiKey {
  const id = randomBytes(8).toString('base64url')
  const key = `cwp_${id}_${randomBytes(32).toString('base64url')}`
  return { id, key: new Secret(key), hash: hashOf(key), last4: key.slice(-4) }
}

/** A key has 256 random bits and cannot be guessed, so a slow hash would gain nothing. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
