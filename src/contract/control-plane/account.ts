import { z } from 'zod'

/** Owns workspaces and is billed. */
export const Account = z.object({
  id: z.string(),
  name: z.string(),
  /** Of the caller: an account admin is not the same as a workspace admin. */
  role: z.enum(['admin', 'member']),
  createdAt: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

/** Somebody with a role in an account. */
export const AccountUser = z.object({ sub: z.string(), email: z.string(), role: z.enum(['admin', 'member']) })
export type AccountUser = z.infer<typeof AccountUser>

export const AccountUserRole = AccountUser.pick({ role: true })
