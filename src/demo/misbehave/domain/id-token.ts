import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Instance } from './instance.ts'
import { accountMembers } from './token-answer.ts'

export type IdTokenKey = { jwk: JWK; sign(claims: Claims): Promise<string> }

type Claims = Record<string, string | number | undefined>

/** Shared by all instances: generating a key takes half a second. */
export async function idTokenKey(): Promise<IdTokenKey> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'misbehave', alg: 'RS256', use: 'sig' }
  return {
    jwk,
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'misbehave' }).sign(privateKey),
  }
}

type IdTokenSubject = { client: string; account: string; nonce: string | undefined }

/** Real time, less `clock_skew`: the clock of an instance applies to grants only. */
export async function idToken(
  instance: Instance,
  key: IdTokenKey,
  subject: IdTokenSubject,
): Promise<string | undefined> {
  const { id_token: fault, identity, clock_skew: skew } = instance.switches
  if (fault === 'missing' || identity !== 'id_token') return undefined
  const now = Math.floor(Date.now() / 1_000) - skew
  const { account_id: sub, account_email: email } = accountMembers(subject.account)
  const sound = { iss: instance.url, aud: subject.client, sub, email, nonce: subject.nonce, iat: now, exp: now + 3_600 }
  const claims: Claims = { ...sound, ...faults(now)[fault] }
  return fault === 'unsigned' ? unsigned(claims) : key.sign(claims)
}

const faults = (now: number): Record<string, Claims> => ({
  expired: { iat: now - 7_200, exp: now - 3_600 },
  future: { iat: now + 600, exp: now + 4_200 },
  other_audience: { aud: 'another-client' },
  other_issuer: { iss: 'https://elsewhere.example' },
  other_nonce: { nonce: 'x'.repeat(43) },
})

const unsigned = (claims: Claims) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
