import { randomBytes } from 'node:crypto'
import { createLocalJWKSet, type JWK, errors as joseErrors, jwtVerify } from 'jose'
import type Provider from 'oidc-provider'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { AccessTokenReader, SigningKeys } from '../domain/ports.ts'
import { accessTokenSeconds, keysInUse, type SigningKey, signingAlgorithm } from '../domain/signing-key.ts'

type Needs = {
  issuer: string
  signingKeys: Pick<SigningKeys, 'list' | 'addFirst'>
  createServer: (keys: readonly SigningKey[]) => Promise<Provider>
  now: () => Date
}

export type CurrentServer = AccessTokenReader & { provider(): Promise<Provider> }

/** A key rotation in another process takes effect within seconds. */
export function currentServer({ issuer, signingKeys, createServer, now }: Needs): CurrentServer {
  const load = async () => {
    const stored = await signingKeys.list()
    if (stored.length > 0) return keysInUse(stored, now())
    await signingKeys.addFirst(randomBytes(9).toString('base64url'))
    return keysInUse(await signingKeys.list(), now())
  }
  const keys = ttlCache(load, { ttlMs: 10_000, capacity: 1 })
  // A token with an unknown key triggers a reload, at most once a second.
  const latestKeys = ttlCache(() => keys.refresh('keys'), { ttlMs: 1_000, capacity: 1 })
  let built: { kids: string; provider: Promise<Provider> } | undefined
  return {
    async provider() {
      const loaded = await keys.get('keys')
      const kids = loaded.map(({ kid }) => kid).join()
      if (built?.kids !== kids) built = { kids, provider: createServer(loaded) }
      return built.provider
    },
    async claimsOf(token, resource) {
      const audience = resource === undefined ? [issuer] : [issuer, resource]
      const expected = { issuer, audience, now: now() }
      const first = await claimsOf(token, expected, await keys.get('keys'))
      if (first !== 'unknown key') return first
      const second = await claimsOf(token, expected, await latestKeys.get('keys'))
      return second === 'unknown key' ? undefined : second
    },
  }
}

const Claims = z.object({
  sub: z.string(),
  // A single audience: a token for several could have been taken from another.
  aud: z.string(),
  scope: z.string().default(''),
  kind: z.enum(['user', 'service_account']),
  grant: z.string().optional(),
  cnf: z.undefined().optional(),
})

type Expectation = { issuer: string; audience: string[]; now: Date }

/** One algorithm and our own keys. Headers of the token that name keys are ignored (RFC 8725 §3). */
async function claimsOf(token: string, { issuer, audience, now }: Expectation, keys: readonly SigningKey[]) {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: keys.map(publicPart) }), {
      algorithms: [signingAlgorithm],
      issuer,
      audience,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: accessTokenSeconds,
      clockTolerance: 5,
      currentDate: now,
    })
    return token.split('.', 2).every(hasUniqueNames) ? Claims.parse(payload) : undefined
  } catch (error) {
    return error instanceof joseErrors.JWKSNoMatchingKey ? 'unknown key' : undefined
  }
}

/** RFC 7519 §4: parsers differ on duplicate names. Our tokens have no spaces, so other JSON does not round-trip. */
function hasUniqueNames(part: string): boolean {
  const text = Buffer.from(part, 'base64url').toString()
  return JSON.stringify(JSON.parse(text)) === text
}

function publicPart({ jwk }: SigningKey): JWK {
  const { d: _private, ...rest } = jwk.reveal()
  return rest as JWK
}
