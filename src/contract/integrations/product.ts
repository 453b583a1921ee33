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
  optional: z.boolean().optional(),
  user: z.boolean().optional(),
})

/** A logo in `public/logos`, or a picture. */
export const Icon = z
  .string()
  .max(48 * 1024)
  .regex(
    /^(?:(?:logos|simple-icons):[a-z0-9-]+|data:image\/(?:svg\+xml|png);base64,[A-Za-z0-9+/]+=*)$/,
    'must be a logo of the catalogue such as `logos:slack-icon`, or an SVG or PNG picture as a data URL in base64',
  )

/** Of the letters that stand for an app without an icon. */
export const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1F6FEB')

export const productShape = {
  id: IntegrationId,
  displayName: z.string().min(1).max(63),
  description: z.string().max(200).default(''),
  icon: Icon.optional(),
  color: Color.optional(),
  scopes: z.array(Scope).default([]),
  /** `host` or `host:port`, with gaps. Tools can't reach other hosts. */
  apiHosts: z.array(HostTemplate).default([]),
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
