import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { Campaign, CampaignDetails, CampaignMember, CampaignProgress } from '../campaign.ts'
import type { Cause } from '../cause.ts'
import type { Connection } from '../connection.ts'
import type { Link } from '../link.ts'
import type { Sight } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Campaigns = {
  /** Makes the campaign, its sessions and its members together. */
  create(campaign: NewCampaign, members: readonly NewMember[], audit: AuditEntry): Promise<Campaign>
  find(id: string): Promise<CampaignDetails | undefined>
  list(query: CampaignQuery): Promise<Page<CampaignProgress>>
  members(id: string, query: { cursor: string | undefined; limit: number }): Promise<Page<CampaignMember>>
  /** Connections that need a re-link for one cause. */
  needingRelink(query: RelinkNeedQuery & { limit: number }): Promise<Connection[]>
  countNeedingRelink(query: RelinkNeedQuery): Promise<number>
  /** For which causes connections need one, and how many for each; the most first. */
  causesOfNeed(query: Omit<RelinkNeedQuery, 'cause'>): Promise<CauseCount[]>
  /** Whose those are that need one, and how many; the most first. */
  ownersInNeed(query: RelinkNeedQuery & { limit: number }): Promise<OwnerCount[]>
  /**
   * Withdraws every address that could still be begun with, or that somebody has begun with who is not back yet. How many
   * is added to the entry; none is no news.
   */
  cancel(id: string, audit: EntryOf<'campaign.cancelled'>): Promise<void>
  /** Links of its addresses that wait for a person. */
  waitingLinks(id: string): Promise<Link[]>
}

export type NewCampaign = Omit<Campaign, 'createdAt' | 'expiresAt' | 'cancelledAt' | 'members'> & { ttlSeconds: number }

export type NewMember = { connection: Connection; sessionId: string; tokenDigest: string }

export type RelinkNeedQuery = Pick<Sight, 'testMode'> & {
  cause: Cause
  tenant: string | undefined
  integration: string | undefined
  /** Only those whose account is known. */
  pinned?: boolean | undefined
}

export type CauseCount = { cause: Cause; count: number }

export type OwnerCount = Pick<Connection, 'tenant' | 'integration'> & { count: number }

export type CampaignQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  cursor: string | undefined
  limit: number
}

export type CampaignPorts = { campaigns: Campaigns }
