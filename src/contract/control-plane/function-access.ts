// Who may use the MCP server of a function with a client of their own.
import { z } from 'zod'
import { characters } from '../characters.ts'

/** The tenant's server vouches for the person whom it hands the address to. */
export const FunctionLoginInput = z.strictObject({
  endUser: z.strictObject({
    /** As the tenant calls them; the same person at the same function is one user. */
    id: characters(255),
    /** What the pages call them, an email address for example. */
    label: characters(255),
  }),
  /** Seconds in which the address can be opened. */
  expiresIn: z.int().min(60).max(3_600).default(600),
})
export type FunctionLoginInput = z.infer<typeof FunctionLoginInput>

export const FunctionLogin = z.object({
  /** For the browser of this one person. It can be opened once, and whoever opens it is taken for them. */
  url: z.url(),
  expiresAt: z.iso.datetime(),
  /** What they add to their MCP client. */
  mcpUrl: z.url(),
})
export type FunctionLogin = z.infer<typeof FunctionLogin>

export const FunctionGrantQuery = z.object({ endUserId: z.string().max(255).optional() })

/** What somebody allowed an app. */
export const FunctionGrant = z.object({
  id: z.string(),
  account: z.string(),
  endUserId: z.string().optional(),
  app: z.object({ clientId: z.string(), name: z.string(), redirectsTo: z.string() }),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
})
export type FunctionGrant = z.infer<typeof FunctionGrant>
