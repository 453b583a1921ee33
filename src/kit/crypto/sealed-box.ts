// Envelope encryption: every record has its own data key, wrapped by a named master key,
// so rotating the master key rewrites a few bytes per record and never touches the plaintext.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { publicRandomBytes } from './random.ts'
import { Secret } from './secret.ts'

const version = 'v1'
const briefVersion = 'b1'
const algorithm = 'aes-256-gcm'
// Without this option Node accepts truncated tags, down to four bytes.
const authTagLength = 16

export type Keyring = { primary: string; keys: ReadonlyMap<string, Secret<Buffer>> }

export type SealedBox = {
  /** `context` is authenticated but not stored: an envelope moved to another row or field does not open. */
  seal(plaintext: Secret, context: string): string
  /**
   * For what lives for minutes and is never rewrapped: by a key of the hour, derived from the master key, which costs
   * half of an envelope with a data key of its own. An hour has fewer records than one key may seal with random nonces
   * (2³², NIST SP 800-38D, section 8.3).
   */
  sealBriefly(plaintext: Secret, context: string): string
  /** Opens both kinds. */
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

export function sealedBox(keyring: Keyring, now = () => Date.now()): SealedBox {
  const masterKey = (id: string) => {
    const key = keyring.keys.get(id)
    if (!key)
      throw new EnvelopeUnreadable('key_not_loaded', `no encryption key with id ${JSON.stringify(id)} is loaded`)
    return key.reveal()
  }
  const wrap = (dataKey: Buffer, context: string) =>
    encrypt(masterKey(keyring.primary), dataKey, `${version}|${keyring.primary}|key|${context}`)
  const hourKeys = new Map<string, Buffer>()
  const hourKey = (id: string, hour: string): Buffer => {
    const known = hourKeys.get(`${id}.${hour}`)
    if (known) return known
    const made = Buffer.from(hkdfSync('sha256', masterKey(id), '', `causeway brief ${hour}`, 32))
    if (hourKeys.size >= mostHourKeys) hourKeys.clear()
    hourKeys.set(`${id}.${hour}`, made)
    return made
  }
  const openBrief = (envelope: string, context: string): Secret => {
    const [, id = '', hour = '', body = '', ...rest] = envelope.split('.')
    if (!/^\d{1,9}$/.test(hour) || body === '' || rest.length > 0) throw notSealed()
    return new Secret(decrypt(hourKey(id, hour), body, `${briefVersion}|${id}|${hour}|${context}`).toString())
  }
  const unwrap = ({ keyId, wrapped }: Parts, context: string) =>
    decrypt(masterKey(keyId), wrapped, `${version}|${keyId}|key|${context}`)

  return {
    seal(plaintext, context) {
      const dataKey = randomBytes(32)
      const body = encrypt(dataKey, Buffer.from(plaintext.reveal()), `${version}|body|${context}`)
      return [version, keyring.primary, wrap(dataKey, context), body].join('.')
    },
    sealBriefly(plaintext, context) {
      const id = keyring.primary
      const hour = String(Math.floor(now() / hourMs))
      const about = `${briefVersion}|${id}|${hour}|${context}`
      return [briefVersion, id, hour, encrypt(hourKey(id, hour), Buffer.from(plaintext.reveal()), about)].join('.')
    },
    open(envelope, context) {
      if (envelope.startsWith(`${briefVersion}.`)) return openBrief(envelope, context)
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

const hourMs = 60 * 60 * 1_000

/** This hour's and the last one's of each master key; an envelope may name any hour, and must not fill the memory. */
const mostHourKeys = 16

const notSealed = () => new EnvelopeUnreadable('does_not_open', 'not a sealed envelope')

type Parts = { keyId: string; wrapped: string; body: string }

function split(envelope: string): Parts {
  const [tag, keyId, wrapped, body, ...rest] = envelope.split('.')
  if (tag !== version || !keyId || !wrapped || !body || rest.length > 0) throw notSealed()
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

/** A key for one purpose from each master key, so that what was made for one use is worthless for another. */
export const derivedKeys = ({ keys }: Keyring, purpose: string): Map<string, Buffer> =>
  new Map([...keys].map(([id, master]) => [id, Buffer.from(hkdfSync('sha256', master.reveal(), '', purpose, 32))]))
