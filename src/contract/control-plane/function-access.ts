import { z } from 'zod'
import { characters } from '../resource.ts'

export const FunctionLoginInput = z.strictObject({
  endUser: z.strictObject({
    /** The tenant's ID for the end user. One ID is one user per function. */
    id: characters(255),
    label: characters(255),
  }),
  expiresIn: z.int().min(60).max(3_600).default(600),
})
export type FunctionLoginInput = z.infer<typeof FunctionLoginInput>

export const FunctionLogin = z.object({
  /** Single use. The browser that opens it is signed in as this end user. */
  url: z.url(),
  expiresAt: z.iso.datetime(),
  mcpUrl: z.url(),
})
export type FunctionLogin = z.infer<typeof FunctionLogin>

export const EndLoginsQuery = z.object({ endUserId: characters(255) })

/** `rememberedBrowsers`: how many browsers of the end user were remembered. */
export const EndedLogins = z.object({ rememberedBrowsers: z.int() })
export type EndedLogins = z.infer<typeof EndedLogins>

export const FunctionGrantQuery = z.object({ endUserId: z.string().max(255).optional() })

export const FunctionGrant = z.object({
  id: z.string(),
  account: z.string(),
  endUserId: z.string().optional(),
  app: z.object({ clientId: z.string(), name: z.string(), redirectsTo: z.string() }),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
})
export type FunctionGrant = z.infer<typeof FunctionGrant>
