// What of a provider is linked: its scopes, its API and its tools, or the MCP server that it runs itself.
import { z } from 'zod'
import { Address, HostTemplate } from './address-template.ts'
import { ScopeName } from './oauth.ts'
import { Tool } from './tool.ts'

/** It stands in paths, in names of resources and in redirect URIs. */
export const IntegrationId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be lowercase letters, digits and hyphens, at most 32')

export const Scope = z.strictObject({
  name: ScopeName,
  /** What the user reads. */
  description: z.string().max(200).optional(),
  /** A link can do without. */
  optional: z.boolean().optional(),
  /** Asked for in the parameter for the user's own scopes (`userScopeParameter`). */
  user: z.boolean().optional(),
})

export const productShape = {
  id: IntegrationId,
  displayName: z.string().min(1).max(63),
  description: z.string().max(200).default(''),
  scopes: z.array(Scope).default([]),
  /** `host` or `host:port`, with gaps; tools reach nothing else. */
  apiHosts: z.array(HostTemplate).default([]),
  health: z
    .strictObject({
      /** `function`: by using a tool. `refresh`: by refreshing the grant and writing the answer back to the platform. */
      by: z.enum(['function', 'refresh']).optional(),
      /** A tool that only reads and costs little. */
      tool: z.string().min(1).max(64).optional(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      everySeconds: z.int().min(60).optional(),
    })
    .default({}),
  /** Whether functions also get a tool for any other request to the API hosts. */
  requestTool: z.boolean().default(true),
  tools: z.array(Tool).default([]),
  /** Of kind `mcp`: the vendor's own MCP server, with gaps for inputs. Everything about OAuth is discovered there. */
  mcpUrl: Address.refine((text) => !text.includes('#'), 'must not have a fragment').optional(),
  /** What happens when that server offers other tools than before: `hold` until somebody approves, `allow` at once. */
  toolChanges: z.enum(['hold', 'allow']).default('hold'),
}
