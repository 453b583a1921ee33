import { z } from 'zod'
import { ResourceName } from '../../../contract/resource.ts'

const Template = z.json()

const Tool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string(),
  /** JSON Schema of the arguments. */
  inputSchema: z.looseObject({ type: z.literal('object') }),
  /** Whether calling it changes anything; without it, a GET reads and everything else writes. */
  effect: z.enum(['read', 'write']).optional(),
  /** `{argument}` in a text is replaced; a text that is nothing but one placeholder takes the value with its type. */
  request: z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z.string().regex(/^https?:\/\/[^{}/]+(\/|$)/, 'must be an http(s) address with a fixed host'),
    query: z.record(z.string(), z.string()).optional(),
    body: Template.optional(),
    /** Arguments that are made from others before the rest is filled in; `mail` makes an RFC 5322 message. */
    derived: z.record(z.string(), z.strictObject({ as: z.literal('mail'), from: Template })).optional(),
  }),
})
export type Tool = z.infer<typeof Tool>

export const Integration = z.strictObject({
  name: ResourceName,
  displayName: z.string(),
  tokenEndpoint: z.url({ protocol: /^https?$/ }),
  tokenEndpointAuthMethod: z.enum(['client_secret_post', 'client_secret_basic']).default('client_secret_post'),
  /** Errors that mean the grant is gone for good: of the token endpoint, whatever the status, and of an API with a `successMember`. */
  brokenGrantErrors: z.array(z.string()).default(['invalid_grant']),
  /** Some answer 200 to everything and say in a member of the answer whether it worked. */
  successMember: z.string().optional(),
  /** `host` or `host:port`; tools reach nothing else. */
  apiHosts: z.array(z.string()).min(1),
  tools: z.array(Tool),
  /** Whether functions also get a tool for any other request to the API hosts. */
  requestTool: z.boolean().default(true),
})
export type Integration = z.infer<typeof Integration>
export type IntegrationData = z.input<typeof Integration>

/** The integrations file: what functions can do, as data. */
export const IntegrationsFile = z.strictObject({ integrations: z.array(Integration) })
