import type { Actor } from './audit/audit.ts'
import type { Cause } from './cause.ts'
import { maxUnpinnedSeconds } from './relink.ts'

export type Campaign = {
  id: string
  cause: Cause
  tenant: string | undefined
  integration: string | undefined
  reason: string
  actor: Pick<Actor, 'kind' | 'id' | 'name'>
  members: number
  expiresAt: Date
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

/** `cancellable`: connect URLs that a user can still start or is in the middle of. */
export type CampaignDetails = CampaignProgress & { cancellable: number }

export function addressEnds(
  { createdAt, expiresAt }: Pick<Campaign, 'createdAt' | 'expiresAt'>,
  { accountLabel }: Pick<CampaignMember, 'accountLabel'>,
): Date {
  if (accountLabel !== undefined) return expiresAt
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + maxUnpinnedSeconds * 1_000))
}

export const maxMembers = 5_000
