// Cursors that tell their holder nothing and open only for the query they were made for.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKeys, type Keyring } from './sealed-box.ts'

const algorithm = 'aes-256-gcm'
const authTagLength = 16
const ivLength = 12

export type OpaqueCursors = {
  /** `query` names everything the cursor is bound to; it is authenticated and not stored. */
  seal(position: unknown, query: string, now: Date): string
  /** Undefined for every reason alike: tampered, bound to another query, too old, not a cursor at all. */
  open(cursor: string, query: string, now: Date): unknown
}

export function opaqueCursors(keyring: Keyring, maxAgeSeconds: number): OpaqueCursors {
  const key = cursorKeys(keyring)
  return {
    seal(position, query, now) {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv(algorithm, key(keyring.primary), iv, { authTagLength }).setAAD(Buffer.from(query))
      const text = JSON.stringify([now.getTime(), position])
      const body = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()])
      return `${keyring.primary}.${body.toString('base64url')}`
    },
    open(cursor, query, now) {
      try {
        const [id = '', text = ''] = cursor.split('.')
        const [madeAt, position] = JSON.parse(decrypt(key(id), strictBytes(cursor, id, text), query))
        return now.getTime() - madeAt > maxAgeSeconds * 1000 ? undefined : position
      } catch {
        return undefined
      }
    },
  }
}

/** A key of their own, derived from each master key, so that no cursor is ever an envelope or the reverse. */
function cursorKeys(keyring: Keyring): (id: string) => Buffer {
  const keys = derivedKeys(keyring, 'cursor')
  return (id) => {
    const key = keys.get(id)
    if (!key) throw new Error('unknown cursor key')
    return key
  }
}

/** The decoder skips what it does not know and ignores spare bits: only the one canonical spelling passes. */
function strictBytes(cursor: string, id: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (`${id}.${bytes.toString('base64url')}` !== cursor) throw new Error('not canonical')
  return bytes
}

function decrypt(key: Buffer, bytes: Buffer, query: string): string {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), { authTagLength })
  decipher.setAAD(Buffer.from(query)).setAuthTag(bytes.subarray(-authTagLength))
  return Buffer.concat([decipher.update(bytes.subarray(ivLength, -authTagLength)), decipher.final()]).toString()
}
