import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { Campaign, CampaignDetails, CampaignMember, CampaignProgress } from '../campaign.ts'
import type { Cause } from '../cause.ts'
import type { Connection } from '../connection.ts'
import type { Link } from '../link.ts'
import type { Sight } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Campaigns = {
  create(campaign: NewCampaign, members: readonly NewMember[], audit: AuditEntry): Promise<Campaign>
  find(id: string): Promise<CampaignDetails | undefined>
  list(query: CampaignQuery): Promise<Page<CampaignProgress>>
  members(id: string, query: { cursor: string | undefined; limit: number }): Promise<Page<CampaignMember>>
  needingRelink(query: RelinkNeedQuery & { limit: number }): Promise<Connection[]>
  countNeedingRelink(query: RelinkNeedQuery): Promise<number>
  causesOfNeed(query: Omit<RelinkNeedQuery, 'cause'>): Promise<CauseCount[]>
  ownersInNeed(query: RelinkNeedQuery & { limit: number }): Promise<OwnerCount[]>
  /** Cancels URLs whose user has not come back. Adds their number to the entry; writes no entry for zero. */
  cancel(id: string, audit: EntryOf<'campaign.cancelled'>): Promise<void>
  waitingLinks(id: string): Promise<Link[]>
}

type NewCampaign = Omit<Campaign, 'createdAt' | 'expiresAt' | 'cancelledAt' | 'members'> & { ttlSeconds: number }

export type NewMember = { connection: Connection; sessionId: string; tokenDigest: string }

export type RelinkNeedQuery = Pick<Sight, 'testMode'> & {
  cause: Cause
  tenant: string | undefined
  integration: string | undefined
  pinned?: boolean | undefined
}

export type CauseCount = { cause: Cause; count: number }

type OwnerCount = Pick<Connection, 'tenant' | 'integration'> & { count: number }

type CampaignQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  cursor: string | undefined
  limit: number
}

export type CampaignPorts = { campaigns: Campaigns }
