import { z } from 'zod'
import { ApiVersion, defaultApiVersion } from './api-version.ts'
import { GatewayErrorCode } from './error-bodies.ts'

/** Every header that carries the brand word, made from that one word; both programs read the same setting. */
export function brandedHeaders(brand: string) {
  return {
    authorization: `X-${brand}-Authorization`,
    workspace: `X-${brand}-Workspace`,
    threadId: `X-${brand}-Thread-Id`,
    version: `${brand}-Version`,
    signature: `X-${brand}-Signature`,
    timestamp: `X-${brand}-Timestamp`,
    source: `X-${brand}-Source`,
    errorCode: `X-${brand}-Error-Code`,
  } as const
}

export type BrandedHeaders = ReturnType<typeof brandedHeaders>

/** Those that other documents named. */
export const plainHeaders = {
  authorization: 'Authorization',
  challenge: 'WWW-Authenticate',
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  mcpSessionId: 'Mcp-Session-Id',
  retryAfter: 'Retry-After',
} as const

export const defaultBrand = 'Service'

/** A word that is safe inside a header name (RFC 9110, section 5.6.2), narrowed to letters, digits and hyphens. */
export const brandPattern = /^[A-Za-z][A-Za-z0-9-]{0,31}$/

const longestCredential = 8_192
const scheme = 'Bearer '

/** An API key or a token, with its scheme (RFC 6750, section 2.1). What is longer is refused before anybody decodes it. */
export const BearerCredential = z
  .string()
  .max(scheme.length + longestCredential)
  .regex(/^Bearer +\S+$/i, 'must be a bearer credential')
  .transform((text) => text.slice(text.lastIndexOf(' ') + 1))

export const bearer = (credential: string): string => scheme + credential

/** A name that can stand in a header and in a path as it is. */
export const WorkspaceName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lowercase letters, digits and inner hyphens')

/** Which conversation with an agent it is; the client makes it up. */
export const ThreadId = z.string().regex(/^[\x21-\x7e]{1,256}$/)

/** HMAC-SHA256 of the raw body under the callback secret. */
export const Signature = z.templateLiteral(['sha256=', z.string().regex(/^[0-9a-f]{64}$/)])

/** Unix seconds. */
export const Timestamp = z.string().regex(/^[0-9]{1,12}$/)

/** Who wrote an answer of the gateway. */
export const Source = z.enum(['platform', 'workload'])

/** Seconds. A date, which RFC 9110 also allows, is sent by nobody here. */
export const RetryAfter = z
  .string()
  .regex(/^[0-9]{1,5}$/)
  .transform(Number)

export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/)

/** MCP, transports, session management: visible ASCII characters. */
export const McpSessionId = z.string().regex(/^[\x21-\x7e]{1,1024}$/)

/** What each header may hold; one without a schema does not compile. */
export const brandedHeaderValues = {
  authorization: BearerCredential,
  workspace: WorkspaceName,
  threadId: ThreadId,
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
