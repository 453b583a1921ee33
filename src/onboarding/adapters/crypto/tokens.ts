import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { sha256, sha256Bytes } from '../../../kit/crypto/digest.ts'
import { publicRandomBytes } from '../../../kit/crypto/random.ts'
import { derivedKey } from '../../../kit/crypto/sealed-box.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Tokens } from '../../domain/ports/shared.ts'

// Crockford's base32 sorts like the bytes and has no ambiguous letters.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const tokenBytes = 32

/** Derives one key per purpose, so that a value made for one use is worthless for another. */
export function keyedTokens(signingKey: Secret<Buffer>): Tokens {
  const purpose = (name: string) => derivedKey(signingKey.reveal(), `causeway ${name}`)
  const completionKey = purpose('completion code')
  const fingerprintKey = purpose('fingerprint')
  const secretDigestKey = purpose('secret digest')
  const seedKey = purpose('seed')
  const userKey = purpose('user hash')
  const deploymentKey = purpose('deployment')
  const fromSeed = (what: string, seed: string) => createHmac('sha256', seedKey).update(`${what}|${seed}`).digest()

  return {
    fresh: (seed) => (seed === undefined ? randomBytes(tokenBytes) : fromSeed('token', seed)).toString('base64url'),
    freshOnes(count) {
      const bytes = randomBytes(count * tokenBytes)
      return Array.from({ length: count }, (_, at) =>
        bytes.toString('base64url', at * tokenBytes, (at + 1) * tokenBytes),
      )
    },
    id: (prefix, seed) =>
      seed === undefined ? sortableId(prefix) : `${prefix}_${withTimeOf(seed, base32(fromSeed(prefix, seed)))}`,
    idAt: (prefix, at, seed) =>
      `${prefix}_${(base32(timeBytes(at.getTime())) + base32(fromSeed(prefix, seed))).slice(0, idLetters)}`,
    digest: sha256,
    nameDigest: (text) => base32(sha256Bytes(text)),
    challenge: sha256,
    sameDigest: (a, b) => timingSafeEqual(sha256Bytes(a), sha256Bytes(b)),
    completionCode: (linkId) => createHmac('sha256', completionKey).update(linkId).digest('base64url'),
    fingerprint: (secret) => createHmac('sha256', fingerprintKey).update(secret.reveal()).digest('hex').slice(0, 12),
    secretDigest: (secret) => createHmac('sha256', secretDigestKey).update(secret.reveal()).digest('base64url'),
    deploymentProof: (text) => createHmac('sha256', deploymentKey).update(text).digest('base64url'),
    userHash: ({ tenant, id }) => createHmac('sha256', userKey).update(`${tenant}|${id}`).digest('base64url'),
    sign: (text, secret) =>
      createHmac('sha256', createSecretKey(secret.reveal(), 'utf8')).update(text).digest('base64url'),
  }
}

export const sortableId = (prefix: string): string => `${prefix}_${base32(timeAndChance())}`

/** 48 bits of milliseconds and 77 random bits: later IDs sort later. */
const timeAndChance = (): Buffer => Buffer.concat([timeBytes(Date.now()), publicRandomBytes(10)])

function timeBytes(ms: number): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(ms) << 16n)
  return time.subarray(0, 6)
}

const idLetters = 25
const timeLetters = 10

const withTimeOf = (id: string, letters: string): string =>
  (id.slice(-idLetters).slice(0, timeLetters) + letters).slice(0, idLetters)

/** Sorts before all IDs with this prefix made from then on. */
export const idsSince = (prefix: string, from: Date): string => `${prefix}_${base32(timeBytes(from.getTime()))}`

/** Five bits per letter, most significant first; remaining bits are dropped. */
function base32(bytes: Buffer): string {
  let [text, bits, buffer] = ['', 0, 0]
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(buffer >> (bits - 5)) & 31]
  }
  return text
}
