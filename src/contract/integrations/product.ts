// What of a provider is linked: its scopes, its API and its tools.
import { z } from 'zod'
import { HostTemplate } from './address-template.ts'

/** It stands in paths, in names of resources and in redirect URIs. */
export const IntegrationId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be lowercase letters, digits and hyphens, at most 32')

export const Scope = z.strictObject({
  name: z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope'),
  /** What the user reads. */
  description: z.string().max(200).optional(),
  /** A link can do without. */
  optional: z.boolean().optional(),
  /** Asked for in the parameter for the user's own scopes (`userScopeParameter`). */
  user: z.boolean().optional(),
})

const Template = z.json()

export const Tool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string(),
  /** Whether it changes nothing at the provider; a GET is taken to. */
  readOnly: z.boolean().optional(),
  /** JSON Schema of the arguments. */
  inputSchema: z.looseObject({ type: z.literal('object') }),
  /** `{argument}` in a text is replaced; a text that is nothing but one placeholder takes the value with its type. */
  request: z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** Its host has no arguments, only inputs and kept values. */
    url: z.string().regex(/^https?:\/\/[^/]+(\/|$)/, 'must be an http(s) address'),
    query: z.record(z.string(), z.string()).optional(),
    body: Template.optional(),
    /** Arguments that are made from others before the rest is filled in; `mail` makes an RFC 5322 message. */
    derived: z.record(z.string(), z.strictObject({ as: z.literal('mail'), from: Template })).optional(),
  }),
})
export type Tool = z.infer<typeof Tool>

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
}
