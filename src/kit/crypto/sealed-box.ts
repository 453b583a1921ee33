// Envelope encryption: every record has its own data key, wrapped by a named master key,
// so rotating the master key rewrites a few bytes per record and never touches the plaintext.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { publicRandomBytes } from './random.ts'
import { Secret } from './secret.ts'

const version = 'v1'
const algorithm = 'aes-256-gcm'
// Without this option Node accepts truncated tags, down to four bytes.
const authTagLength = 16

export type Keyring = { primary: string; keys: ReadonlyMap<string, Secret<Buffer>> }

export type SealedBox = {
  /** `context` is authenticated but not stored: an envelope moved to another row or field does not open. */
  seal(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
  /** The same record under the primary key; the plaintext is not decrypted. */
  rewrap(envelope: string, context: string): string
  isCurrent(envelope: string): boolean
  /** What every envelope under the primary key begins with, so that a database can tell them. */
  currentPrefix: string
}

/** The key is not loaded, or it is another one, or the envelope is broken or stands where it was not sealed for. */
export class EnvelopeUnreadable extends Error {
  constructor(
    readonly code: 'key_not_loaded' | 'does_not_open',
    message: string,
  ) {
    super(message)
  }
}

export function sealedBox(keyring: Keyring): SealedBox {
  const masterKey = (id: string) => {
    const key = keyring.keys.get(id)
    if (!key)
      throw new EnvelopeUnreadable('key_not_loaded', `no encryption key with id ${JSON.stringify(id)} is loaded`)
    return key.reveal()
  }
  const wrap = (dataKey: Buffer, context: string) =>
    encrypt(masterKey(keyring.primary), dataKey, `${version}|${keyring.primary}|key|${context}`)
  const unwrap = ({ keyId, wrapped }: Parts, context: string) =>
    decrypt(masterKey(keyId), wrapped, `${version}|${keyId}|key|${context}`)

  return {
    seal(plaintext, context) {
      const dataKey = randomBytes(32)
      const body = encrypt(dataKey, Buffer.from(plaintext.reveal()), `${version}|body|${context}`)
      return [version, keyring.primary, wrap(dataKey, context), body].join('.')
    },
    open(envelope, context) {
      const parts = split(envelope)
      return new Secret(decrypt(unwrap(parts, context), parts.body, `${version}|body|${context}`).toString())
    },
    rewrap(envelope, context) {
      const parts = split(envelope)
      return [version, keyring.primary, wrap(unwrap(parts, context), context), parts.body].join('.')
    },
    isCurrent: (envelope) => split(envelope).keyId === keyring.primary,
    currentPrefix: `${version}.${keyring.primary}.`,
  }
}

type Parts = { keyId: string; wrapped: string; body: string }

function split(envelope: string): Parts {
  const [tag, keyId, wrapped, body, ...rest] = envelope.split('.')
  if (tag !== version || !keyId || !wrapped || !body || rest.length > 0)
    throw new EnvelopeUnreadable('does_not_open', 'not a sealed envelope')
  return { keyId, wrapped, body }
}

function encrypt(key: Buffer, plaintext: Buffer, context: string): string {
  const iv = publicRandomBytes(12)
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: Buffer, text: string, context: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, 12), { authTagLength })
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-authTagLength))
    return Buffer.concat([decipher.update(bytes.subarray(12, -authTagLength)), decipher.final()])
  } catch (error) {
    throw new EnvelopeUnreadable('does_not_open', (error as Error).message)
  }
}
