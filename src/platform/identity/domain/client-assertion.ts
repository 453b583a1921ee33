// Rules for `client_assertion` (RFC 7523 §3) beyond those of the authorization server.

/** Asymmetric only: with HS256, an attacker could sign with the public key as the secret. */
export const assertionAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const

const maxSeconds = 600
export const clockToleranceSeconds = 15

const types = [undefined, 'JWT', 'client-authentication+jwt']

type Assertion = { claims: Record<string, unknown>; header: Record<string, unknown> }

/** A JWT that was made for another server or another purpose must not authenticate its client here. */
export function assertionProblem(
  { claims: { aud, exp, iat }, header }: Assertion,
  { audiences, nowSeconds }: { audiences: readonly string[]; nowSeconds: number },
): string | undefined {
  const [audience, ...others] = [aud].flat()
  if (others.length > 0 || !audiences.includes(String(audience))) return 'aud must be this server alone'
  if (!types.includes(header.typ as string | undefined)) return 'typ is of another kind of JWT'
  const latest = nowSeconds + clockToleranceSeconds
  if (typeof exp !== 'number' || exp > latest + maxSeconds) return `exp must be within ${maxSeconds} seconds`
  if (iat !== undefined && (typeof iat !== 'number' || iat > latest)) return 'iat must not be in the future'
  return undefined
}
