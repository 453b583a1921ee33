import { z } from 'zod'
import { GatewayErrorCode } from './error-bodies.ts'

/** Dates accepted in the version header, oldest first. 2026-04-20 changed nothing. */
export const apiVersions = ['2026-04-16', '2026-04-20', '2026-04-28'] as const

export const ApiVersion = z.enum(apiVersions)
export type ApiVersion = z.infer<typeof ApiVersion>

export const defaultApiVersion: ApiVersion = '2026-04-16'

export const newestApiVersion: ApiVersion = '2026-04-28'

/** Headers that contain the brand. Both programs read the same setting. */
export function brandedHeaders(brand: string) {
  return {
    authorization: `X-${brand}-Authorization`,
    workspace: `X-${brand}-Workspace`,
    threadId: `X-${brand}-Thread-Id`,
    endUser: `X-${brand}-End-User`,
    previewToken: `X-${brand}-Preview-Token`,
    version: `${brand}-Version`,
    signature: `X-${brand}-Signature`,
    timestamp: `X-${brand}-Timestamp`,
    source: `X-${brand}-Source`,
    errorCode: `X-${brand}-Error-Code`,
  } as const
}

export type BrandedHeaders = ReturnType<typeof brandedHeaders>

export const plainHeaders = {
  authorization: 'Authorization',
  challenge: 'WWW-Authenticate',
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  mcpSessionId: 'Mcp-Session-Id',
  retryAfter: 'Retry-After',
} as const

export const defaultBrand = 'Service'

/** Safe in a header name: a subset of the tokens of RFC 9110 §5.6.2. */
export const brandPattern = /^[A-Za-z][A-Za-z0-9-]{0,31}$/

const maxCredentialLength = 8_192
const scheme = 'Bearer '

/** An API key or token with its scheme (RFC 6750 §2.1). Longer values are rejected before decoding. */
export const BearerCredential = z
  .string()
  .max(scheme.length + maxCredentialLength)
  .regex(/^Bearer +\S+$/i, 'must be a bearer credential')
  .transform((text) => text.slice(text.lastIndexOf(' ') + 1))

export const bearer = (credential: string): string => scheme + credential

export const WorkspaceName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lowercase letters, digits and inner hyphens')

export const ThreadId = z.string().regex(/^[\x21-\x7e]{1,256}$/)

/** The tenant's ID of an end user, percent-encoded. */
export const EndUser = z.string().regex(/^([A-Za-z0-9_.~@+:-]|%[0-9A-Fa-f]{2}){1,2048}$/)

export const PreviewToken = z.string().regex(/^[\x21-\x7e]{1,1024}$/)

/** HMAC-SHA256 of the raw body under the callback secret. */
export const Signature = z.templateLiteral(['sha256=', z.string().regex(/^[0-9a-f]{64}$/)])

export const Timestamp = z.string().regex(/^[0-9]{1,12}$/)

const Source = z.enum(['platform', 'workload'])

/** Seconds. The date format of RFC 9110 is not used. */
export const RetryAfter = z
  .string()
  .regex(/^[0-9]{1,5}$/)
  .transform(Number)

export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/)

/** Visible ASCII, as the MCP session management section requires. */
export const McpSessionId = z.string().regex(/^[\x21-\x7e]{1,1024}$/)

export const brandedHeaderValues = {
  authorization: BearerCredential,
  workspace: WorkspaceName,
  threadId: ThreadId,
  endUser: EndUser,
  previewToken: PreviewToken,
  version: ApiVersion.meta({ default: defaultApiVersion }),
  signature: Signature,
  timestamp: Timestamp,
  source: Source,
  errorCode: GatewayErrorCode,
} satisfies Record<keyof BrandedHeaders, z.ZodType>

export const plainHeaderValues = {
  authorization: BearerCredential,
  challenge: z
    .string()
    .regex(/^Bearer( error="invalid_token"| (error="[a-z_]+", )?scope="[a-z: ]+", resource_metadata="[^"]+")?$/),
  idempotencyKey: IdempotencyKey,
  idempotencyReplayed: z.literal('true'),
  mcpSessionId: McpSessionId,
  retryAfter: RetryAfter,
} satisfies Record<keyof typeof plainHeaders, z.ZodType>
