// A campaign asks the users of many connections that broke for one cause to link again, and counts who did.
import type { Actor } from './audit.ts'
import type { Cause } from './cause.ts'

export type Campaign = {
  id: string
  cause: Cause
  tenant: string | undefined
  integration: string | undefined
  reason: string
  actor: Pick<Actor, 'kind' | 'id' | 'name'>
  members: number
  expiresAt: Date
  createdAt: Date
}

export const memberStatuses = ['open', 'started', 'linked', 'failed', 'expired', 'cancelled'] as const
export type MemberStatus = (typeof memberStatuses)[number]

export type CampaignMember = {
  connectionId: string
  connectionName: string
  tenant: string
  integration: string
  endUserId: string
  accountLabel: string | undefined
  sessionId: string
  linkId: string | undefined
  status: MemberStatus
}

export type CampaignProgress = { campaign: Campaign; counts: Record<MemberStatus, number> }

/** As many as one answer can reasonably hold. */
export const mostMembers = 5_000
