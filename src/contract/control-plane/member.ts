import { z } from 'zod'

const Role = z.enum(['admin', 'member'])

export const WorkspaceUser = z.object({
  /** Set after the invitation is accepted, so that an invitation does not reveal whether the address has an account. */
  sub: z.string().optional(),
  email: z.string(),
  role: Role,
  accepted: z.boolean(),
  source: z.enum(['invitation', 'member', 'group']),
  workspace: z.string(),
})
export type WorkspaceUser = z.infer<typeof WorkspaceUser>

export const WorkspaceUserInput = z.object({ email: z.email().max(254), role: Role.default('member') })
export type WorkspaceUserInput = z.infer<typeof WorkspaceUserInput>

export const WorkspaceUserRole = z.object({ role: Role })

export const PendingInvitation = z.object({
  workspace: z.string(),
  workspaceDisplayName: z.string(),
  email: z.string(),
  role: Role,
  invitedBy: z.string(),
  createdAt: z.iso.datetime(),
})
export type PendingInvitation = z.infer<typeof PendingInvitation>

export const Account = z.object({
  id: z.string(),
  name: z.string(),
  /** Role of the caller in the account. Account and workspace roles are separate. */
  role: z.enum(['admin', 'member']),
  createdAt: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

export const AccountUser = z.object({ sub: z.string(), email: z.string(), role: z.enum(['admin', 'member']) })
export type AccountUser = z.infer<typeof AccountUser>

export const AccountUserRole = AccountUser.pick({ role: true })
