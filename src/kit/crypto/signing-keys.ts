// Ed25519 keys derived from the encryption keys, so that they rotate with them.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { derivedKeys, type Keyring } from './sealed-box.ts'

type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }

export type SigningKeys = {
  /** RFC 7638 thumbprint of the key that signs. */
  kid: string
  sign(text: string): Buffer
  /** Undefined if the key is not loaded. */
  isValid(kid: string, text: string, signature: Buffer): boolean | undefined
  publicKeys: readonly PublicJwk[]
}

export function signingKeys(keyring: Keyring, purpose: string): SigningKeys {
  const pairs = new Map([...derivedKeys(keyring, purpose)].map(([id, seed]) => [id, pairOf(seed.export())]))
  const byKid = new Map([...pairs.values()].map((pair) => [pair.jwk.kid, pair]))
  const primary = pairs.get(keyring.primary) as Pair
  return {
    kid: primary.jwk.kid,
    sign: (text) => sign(null, Buffer.from(text), primary.privateKey),
    isValid(kid, text, signature) {
      const pair = byKid.get(kid)
      return pair && verify(null, Buffer.from(text), pair.publicKey, signature)
    },
    publicKeys: [...byKid.values()].map(({ jwk }) => jwk),
  }
}

type Pair = { privateKey: KeyObject; publicKey: KeyObject; jwk: PublicJwk }

/** RFC 8410: the fixed start of a PKCS #8 file with an Ed25519 key. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex')

function pairOf(seed: Buffer): Pair {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const kid = hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url')
  return { privateKey, publicKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } }
}
