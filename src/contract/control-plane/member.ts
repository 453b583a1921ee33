import { z } from 'zod'

const Role = z.enum(['admin', 'member'])

/** Somebody who may enter a workspace, or is asked to. */
export const WorkspaceUser = z.object({
  /** Only of those who accepted: whether an address belongs to anybody is not told before. */
  sub: z.string().optional(),
  email: z.string(),
  role: Role,
  accepted: z.boolean(),
  /** Where the role comes from: a membership of its own, or a group that the workspace maps. */
  source: z.enum(['invitation', 'member', 'group']),
  workspace: z.string(),
})
export type WorkspaceUser = z.infer<typeof WorkspaceUser>

export const WorkspaceUserInput = z.object({ email: z.email().max(254), role: Role.default('member') })
export type WorkspaceUserInput = z.infer<typeof WorkspaceUserInput>

export const WorkspaceUserRole = z.object({ role: Role })

/** An invitation, as the invited person sees it. */
export const PendingInvitation = z.object({
  workspace: z.string(),
  workspaceDisplayName: z.string(),
  email: z.string(),
  role: Role,
  invitedBy: z.string(),
  createdAt: z.iso.datetime(),
})
export type PendingInvitation = z.infer<typeof PendingInvitation>
