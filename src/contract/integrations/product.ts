import { z } from 'zod'
import { Address, HostTemplate } from './address-template.ts'
import { ScopeName } from './oauth.ts'
import { Tool } from './tool.ts'

export const IntegrationId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be at most 32 lowercase letters, digits and hyphens')

const Scope = z.strictObject({
  name: ScopeName,
  description: z.string().max(200).optional(),
  /** A user may decline it. */
  optional: z.boolean().optional(),
  user: z.boolean().optional(),
  /** Requested even if a session names other scopes: the account is read with it. */
  always: z.boolean().optional(),
})

/** A logo in `public/logos`, or a picture. */
export const Icon = z
  .string()
  .max(48 * 1024)
  .regex(
    /^(?:(?:logos|simple-icons):[a-z0-9-]+|data:image\/(?:svg\+xml|png);base64,[A-Za-z0-9+/]+=*)$/,
    'must be a logo of the catalogue such as `logos:slack-icon`, or an SVG or PNG picture as a data URL in base64',
  )

/** The color of the letters that replace a missing icon. */
export const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1F6FEB')

export const productShape = {
  id: IntegrationId,
  displayName: z.string().min(1).max(63),
  description: z.string().max(200).default(''),
  icon: Icon.optional(),
  color: Color.optional(),
  scopes: z.array(Scope).default([]),
  /** Requested only if a session names them. Users may decline them. */
  optionalScopes: z.array(Scope.omit({ optional: true, always: true })).default([]),
  /** `host` or `host:port`, with gaps. Tools can't reach other hosts. */
  apiHosts: z.array(HostTemplate).default([]),
  /** Hosts of Git over HTTPS. They accept the access token as the password of this user. */
  gitHosts: z
    .array(z.strictObject({ host: HostTemplate, username: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }))
    .max(4)
    .default([]),
  health: z
    .strictObject({
      /** `function`: calls a tool. `refresh`: refreshes the grant and stores the response on the platform. */
      by: z.enum(['function', 'refresh']).optional(),
      tool: z.string().min(1).max(64).optional(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      everySeconds: z.int().min(60).optional(),
    })
    .default({}),
  /** Whether functions also get a tool for arbitrary requests to the API hosts. */
  requestTool: z.boolean().default(true),
  tools: z.array(Tool).default([]),
  /** For kind `mcp`: the vendor's MCP server, with gaps for inputs. The OAuth settings are discovered there. */
  mcpUrl: Address.refine((text) => !text.includes('#'), 'must not have a fragment').optional(),
  /** When the server's tools change: `hold` until approved, or `allow` at once. */
  toolChanges: z.enum(['hold', 'allow']).default('hold'),
  /** `omit`: for authorization servers that reject the `resource` that MCP requires (RFC 8707). */
  resourceParameter: z.enum(['send', 'omit']).default('send'),
  /** `optional`: for authorization servers that support PKCE and do not list `code_challenge_methods_supported`. */
  pkceMetadata: z.enum(['required', 'optional']).default('required'),
}
