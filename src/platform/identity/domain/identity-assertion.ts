// An Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04): a company's identity
// provider says who its user is, so that an app gets a token for a function without the user's consent here.
import { z } from 'zod'
import { WorkspaceName } from '../../../contract/headers.ts'
import {
  firstToolScope,
  isToolScope,
  type ToolResource,
  toolResourceAt,
} from '../../shared/domain/function-resource.ts'

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const assertionProfile = 'urn:ietf:params:oauth:grant-profile:id-jag'
export const assertionType = 'oauth-id-jag+jwt'

const maxSeconds = 600
export const maxAssertionLength = 8_192

const HttpUrl = z.url({ protocol: /^https?$/, error: 'must be an https:// address' }).max(500)
const Text = z.string().min(1).max(255)

const Trust = z.strictObject({
  workspace: WorkspaceName,
  /** Claim of a multi-tenant issuer. Without it, assertions with the claim are rejected. */
  tenant: Text.optional(),
  /** The claim whose value is the tenant's ID of the end user. */
  subject: z.enum(['sub', 'aud_sub', 'email']).default('sub'),
})

const TrustedIssuer = z.strictObject({
  issuer: HttpUrl,
  jwksUri: HttpUrl,
  trustedBy: z.array(Trust).min(1).max(10_000),
})
export type TrustedIssuer = z.infer<typeof TrustedIssuer>

export const TrustedIssuersFile = z.strictObject({
  issuers: z
    .array(TrustedIssuer)
    .max(1_000)
    .refine((issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length, {
      error: 'must not have the same issuer twice',
    }),
})

const absent = (name: string) => z.undefined(`${name} is not supported`).optional()

export const AssertionClaims = z.looseObject({
  iss: Text,
  sub: Text,
  aud: z.union([Text, z.tuple([Text])]),
  client_id: z.string().min(1).max(2_000),
  jti: Text,
  exp: z.number(),
  iat: z.number(),
  resource: z.union([z.string(), z.array(z.string()).min(1).max(20)]),
  scope: z.string().optional(),
  tenant: Text.optional(),
  aud_tenant: Text.optional(),
  aud_sub: Text.optional(),
  email: Text.optional(),
  email_verified: z.boolean().optional(),
  // Rejected: without checking them, a client without the key, or with more access than the details allow, would be
  // accepted.
  cnf: absent('cnf'),
  authorization_details: absent('authorization_details'),
})
export type AssertionClaims = z.infer<typeof AssertionClaims>

type Refusal = 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client'

export class AssertionRefused extends Error {
  constructor(
    readonly error: Refusal,
    readonly description: string,
    options?: ErrorOptions,
  ) {
    super(description, options)
  }
}

const invalid = (description: string) => new AssertionRefused('invalid_grant', description)

export const untrusted = () => invalid('the issuer of the assertion is not trusted for this resource')

type Asked = { clientId: string; resource: string | undefined; scope: string | undefined }
type Expected = { issuer: string; gatewayUrl: string; nowSeconds: number; clockToleranceSeconds: number }

export type Asserted = { target: ToolResource; resource: string; scopes: string[]; endUserId: string }

/** Throws unless the verified claims allow this request of this client at this server. */
export function whatIsAsserted(
  claims: AssertionClaims,
  { trustedBy }: TrustedIssuer,
  asked: Asked,
  expected: Expected,
): Asserted {
  if ([claims.aud].flat()[0] !== expected.issuer) throw invalid('aud must be the issuer of this server alone')
  if (claims.client_id !== asked.clientId) throw invalid('client_id must be the authenticated client')
  assertShortLived(claims, expected)
  const resource = resourceFor(claims, asked)
  const target = toolResourceAt(expected.gatewayUrl, resource)
  if (!target) throw invalid('resource must be an MCP server here')
  const trust = trustedBy.find(({ workspace, tenant }) => workspace === target.workspace && tenant === claims.tenant)
  if (!trust || (claims.aud_tenant ?? trust.workspace) !== trust.workspace) throw untrusted()
  const endUserId = claims[trust.subject]
  if (trust.subject === 'email' && claims.email_verified === false) throw invalid('the email address is not verified')
  if (endUserId === undefined) throw invalid(`${trust.subject} is missing`)
  return { target, resource, endUserId, scopes: scopesFor(claims, asked) }
}

function assertShortLived({ exp, iat }: AssertionClaims, { nowSeconds, clockToleranceSeconds }: Expected): void {
  if (iat > nowSeconds + clockToleranceSeconds) throw invalid('iat must not be in the future')
  if (exp <= iat || exp - iat > maxSeconds) throw invalid(`exp must be within ${maxSeconds} seconds of iat`)
  if (exp <= nowSeconds - clockToleranceSeconds) throw invalid('the assertion has expired')
}

function resourceFor({ resource }: AssertionClaims, asked: Asked): string {
  const [first = '', ...others] = [resource].flat()
  if (asked.resource === undefined) {
    if (others.length > 0) throw new AssertionRefused('invalid_target', 'resource must name one of the assertion')
    return first
  }
  if (asked.resource !== first && !others.includes(asked.resource))
    throw new AssertionRefused('invalid_target', 'resource must be in the assertion')
  return asked.resource
}

/** The scopes that were both asserted and requested. An assertion without scopes allows reading. */
function scopesFor({ scope }: AssertionClaims, asked: Asked): string[] {
  const asserted = words(scope ?? firstToolScope).filter(isToolScope)
  if (asserted.length === 0) throw invalid('scope has no scope of this resource')
  const granted = asserted.filter((each) => words(asked.scope ?? asserted.join(' ')).includes(each))
  if (granted.length === 0) throw new AssertionRefused('invalid_scope', 'the assertion does not have this scope')
  return [...new Set(granted)]
}

const words = (scope: string) => scope.split(' ')
