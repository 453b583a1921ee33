// A campaign asks the users of many connections that broke for one cause to link again, and counts who did.
import type { Actor } from './audit/audit.ts'
import type { Cause } from './cause.ts'
import { longestUnpinnedSeconds } from './relink.ts'

export type Campaign = {
  id: string
  cause: Cause
  tenant: string | undefined
  integration: string | undefined
  reason: string
  actor: Pick<Actor, 'kind' | 'id' | 'name'>
  members: number
  expiresAt: Date
  /** From then on nobody can begin with one of its addresses. */
  cancelledAt: Date | undefined
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

/** `cancellable`: addresses that somebody could still begin with, also where a first try failed, or is midway through. */
export type CampaignDetails = CampaignProgress & { cancellable: number }

/** When the address for one member ends: one that no account pins must not lie about for long. */
export function addressEnds(
  { createdAt, expiresAt }: Pick<Campaign, 'createdAt' | 'expiresAt'>,
  { accountLabel }: Pick<CampaignMember, 'accountLabel'>,
): Date {
  if (accountLabel !== undefined) return expiresAt
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + longestUnpinnedSeconds * 1_000))
}

/** As many as one answer can reasonably hold. */
export const mostMembers = 5_000
