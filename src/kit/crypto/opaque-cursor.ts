// Encrypted cursors, bound to the query that they were created for.
import type { KeyObject } from 'node:crypto'
import { decrypt, derivedKeys, encrypt, type Keyring } from './sealed-box.ts'

export type OpaqueCursors = {
  /** `query` is authenticated and not stored. */
  seal(position: unknown, query: string, now: Date): string
  /** Undefined if tampered with, bound to another query, expired or malformed. */
  open(cursor: string, query: string, now: Date): unknown
}

export function opaqueCursors(keyring: Keyring, maxAgeSeconds: number): OpaqueCursors {
  // Derived, so that a cursor can't be used as an envelope or vice versa.
  const keys = derivedKeys(keyring, 'cursor')
  return {
    seal(position, query, now) {
      const text = JSON.stringify([now.getTime(), position])
      return `${keyring.primary}.${encrypt(keys.get(keyring.primary) as KeyObject, Buffer.from(text), query)}`
    },
    open(cursor, query, now) {
      const [id = '', text = ''] = cursor.split('.')
      const key = keys.get(id)
      // The decoder ignores unknown characters and spare bits, so only the canonical form is accepted.
      if (!key || `${id}.${Buffer.from(text, 'base64url').toString('base64url')}` !== cursor) return undefined
      try {
        const [madeAt, position] = JSON.parse(decrypt(key, text, query).toString())
        return now.getTime() - madeAt > maxAgeSeconds * 1000 ? undefined : position
      } catch {
        return undefined
      }
    },
  }
}
