import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, type JWK, jwtVerify } from 'jose'
import { assertionAlgorithms, clockToleranceSeconds } from '../domain/client-assertion.ts'
import { AssertionClaims, AssertionRefused, assertionType, type TrustedIssuer } from '../domain/identity-assertion.ts'
import type { IdentityAssertions } from '../domain/ports.ts'
import type { ClientKeys } from './client-keys.ts'
import type { OidcRecords } from './oidc-records.ts'
import { ServerUnreadable } from './server-unreadable.ts'

type Needs = {
  issuerKeys: Pick<ClientKeys, 'find'>
  records: Pick<OidcRecords, 'adapter'>
  now: () => Date
}

export function identityAssertions({ issuerKeys, records, now }: Needs): IdentityAssertions {
  return {
    issuerOf: (assertion) => refusing(async () => decodeJwt(assertion).iss),

    verify: (assertion, issuer) =>
      refusing(async () => {
        const { kid } = decodeProtectedHeader(assertion)
        const keys = await issuerKeys.find(issuer.jwksUri, kid)
        if (!keys) throw unreadable()
        const { payload } = await jwtVerify(
          assertion,
          createLocalJWKSet({ keys: keys as JWK[] }),
          expected(issuer, now()),
        )
        return claimsIn(payload)
      }),

    async use({ iss, jti, exp }) {
      const seconds = Math.ceil(exp - now().getTime() / 1000) + clockToleranceSeconds
      await records.adapter('IdentityAssertion').upsert(JSON.stringify([iss, jti]), {}, Math.max(1, seconds))
    },
  }
}

/** Keys come only from the configuration. Headers of the assertion that name keys are ignored (RFC 8725 §3). */
const expected = ({ issuer }: TrustedIssuer, now: Date) => ({
  algorithms: [...assertionAlgorithms],
  issuer,
  typ: assertionType,
  clockTolerance: clockToleranceSeconds,
  currentDate: now,
})

function claimsIn(payload: unknown): AssertionClaims {
  const read = AssertionClaims.safeParse(payload)
  if (read.success) return read.data
  throw new AssertionRefused(
    'invalid_grant',
    `${String(read.error.issues[0]?.path[0] ?? 'a claim')} is missing or not valid`,
  )
}

async function refusing<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new AssertionRefused('invalid_grant', 'the assertion has expired')
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw new AssertionRefused('invalid_grant', unsound)
    throw error
  }
}

const unsound = `the assertion is not of the type ${assertionType}, or not signed by a key of its issuer`

function unreadable(): AssertionRefused {
  const cause = new ServerUnreadable('the keys of the issuer cannot be read')
  return new AssertionRefused('invalid_grant', cause.message, { cause })
}
