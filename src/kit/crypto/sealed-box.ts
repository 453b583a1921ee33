// Envelope encryption: each record has a data key, wrapped by a named master key, so rotation never touches the
// plaintext.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { publicRandomBytes } from './random.ts'
import { Secret } from './secret.ts'

const version = 'v1'
const briefVersion = 'b1'
const algorithm = 'aes-256-gcm'
// Without it Node accepts tags truncated to four bytes.
const authTagLength = 16

export type Keyring = { primary: string; keys: ReadonlyMap<string, Secret<Buffer>> }

export type SealedBox = {
  /** `context` is authenticated but not stored: an envelope moved to another row or field does not open. */
  seal(plaintext: Secret, context: string): string
  /**
   * For values that live for minutes, by an hourly key derived from the master key, at half the cost. An hour has fewer
   * records than one key may seal with random nonces (2³², NIST SP 800-38D, section 8.3).
   */
  sealBriefly(plaintext: Secret, context: string): string
  /** Opens both kinds. */
  open(envelope: string, context: string): Secret
  /** Moves the record to the primary key without decrypting the plaintext. */
  rewrap(envelope: string, context: string): string
  isCurrent(envelope: string): boolean
  /** The prefix of all envelopes of the primary key, for queries. */
  currentPrefix: string
}

/** The key is missing or different, or the envelope is broken or in the wrong place. */
export class EnvelopeUnreadable extends Error {
  constructor(
    readonly code: 'key_not_loaded' | 'does_not_open',
    message: string,
  ) {
    super(message)
  }
}

export function sealedBox(keyring: Keyring, now = () => Date.now()): SealedBox {
  const masterKeys = new Map([...keyring.keys].map(([id, key]) => [id, createSecretKey(key.reveal())]))
  const masterKey = (id: string) => {
    const key = masterKeys.get(id)
    if (!key)
      throw new EnvelopeUnreadable('key_not_loaded', `no encryption key with id ${JSON.stringify(id)} is loaded`)
    return key
  }
  const wrap = (dataKey: Buffer, context: string) =>
    encrypt(masterKey(keyring.primary), dataKey, `${version}|${keyring.primary}|key|${context}`)
  const hourKeys = new Map<string, KeyObject>()
  const hourKey = (id: string, hour: string): KeyObject => {
    const known = hourKeys.get(`${id}.${hour}`)
    if (known) return known
    const made = derivedKey(masterKey(id), `causeway brief ${hour}`)
    if (hourKeys.size >= maxHourKeys) hourKeys.clear()
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
      const body = encrypt(createSecretKey(dataKey), Buffer.from(plaintext.reveal()), `${version}|body|${context}`)
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
      const dataKey = createSecretKey(unwrap(parts, context))
      return new Secret(decrypt(dataKey, parts.body, `${version}|body|${context}`).toString())
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

/** Two hours for each master key. Bounded, because an envelope may name any hour. */
const maxHourKeys = 16

const notSealed = () => new EnvelopeUnreadable('does_not_open', 'not a sealed envelope')

type Parts = { keyId: string; wrapped: string; body: string }

function split(envelope: string): Parts {
  const [tag, keyId, wrapped, body, ...rest] = envelope.split('.')
  if (tag !== version || !keyId || !wrapped || !body || rest.length > 0) throw notSealed()
  return { keyId, wrapped, body }
}

/** AES-256-GCM in base64url; `context` is authenticated. Node 24 takes 20 µs to import a key that is no `KeyObject`. */
export function encrypt(key: KeyObject, plaintext: Buffer, context: string): string {
  const iv = publicRandomBytes(12)
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

export function decrypt(key: KeyObject, text: string, context: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, 12), { authTagLength })
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-authTagLength))
    return Buffer.concat([decipher.update(bytes.subarray(12, -authTagLength)), decipher.final()])
  } catch (error) {
    throw new EnvelopeUnreadable('does_not_open', (error as Error).message)
  }
}

/** Derives a key per purpose from each master key. */
export const derivedKeys = ({ keys }: Keyring, purpose: string): Map<string, KeyObject> =>
  new Map([...keys].map(([id, master]) => [id, derivedKey(master.reveal(), purpose)]))

export const derivedKey = (master: Buffer | KeyObject, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', master, '', purpose, 32)))
