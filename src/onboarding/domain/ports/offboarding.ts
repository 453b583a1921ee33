import type { Actor } from '../audit/audit.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Link } from '../link.ts'
import type { Erasure, ErasureStep, OpenErasure } from '../offboarding/erasure.ts'
import type { DeletionStep, TenantDeletion } from '../offboarding/tenant-deletion.ts'
import type { Sight } from '../tenant.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { Page } from './shared.ts'

export type TenantDeletions = {
  /** Invalidates the tenant's keys. Returns an existing deletion, or undefined if there is no such tenant. */
  open(tenant: string, actor: Actor, audit: AuditEntry): Promise<TenantDeletion | undefined>
  find(tenant: string): Promise<TenantDeletion | undefined>
  claimDue(limit: number): Promise<TenantDeletion[]>
  move(deletion: TenantDeletion, step: DeletionStep): Promise<TenantDeletion | undefined>
  announce(deletion: TenantDeletion, event: TenantEvent): Promise<TenantDeletion | undefined>
  postpone(deletion: TenantDeletion, delaySeconds: number): Promise<void>
  /** Cancels sessions that were not started. Returns their number. */
  cancelSessions(tenant: string, audit: AuditEntry): Promise<number>
  hasUnsentMessages(tenant: string): Promise<boolean>
  countOpen(tenant: string): Promise<number>
  countConnections(tenant: string): Promise<number>
  /** Deletes endpoints, OAuth clients and import rows, wipes secrets, and keeps the tenant ID reserved. */
  finish(deletion: TenantDeletion, audit: AuditEntry): Promise<TenantDeletion | undefined>
}

export type OffboardingPorts = { deletions: TenantDeletions; erasures: Erasures }

export type Erasures = {
  /** Returns the open erasure of the same user if there is one, and writes no entry. */
  open(erasure: NewErasure, audit: AuditEntry): Promise<Erasure>
  find(id: string): Promise<Erasure | undefined>
  list(query: ErasureQuery): Promise<Page<Erasure>>
  claimDue(limit: number): Promise<OpenErasure[]>
  move(erasure: OpenErasure, step: Exclude<ErasureStep, 'done'>): Promise<OpenErasure | undefined>
  postpone(erasure: Erasure, delaySeconds: number, cause: Cause | undefined): Promise<void>
  closeSessions(erasure: OpenErasure): Promise<void>
  openLinks(erasure: OpenErasure, limit: number): Promise<Link[]>
  openConnections(erasure: OpenErasure, limit: number): Promise<string[]>
  blockingCause(erasure: OpenErasure): Promise<Cause | undefined>
  hasUnsentMessages(erasure: OpenErasure): Promise<boolean>
  /** In one transaction. Returns `open` if the user has new work, undefined if another worker took it over. */
  finish(erasure: OpenErasure, event: TenantEvent, audit: AuditEntry): Promise<Erasure | 'open' | undefined>
}

type NewErasure = Pick<OpenErasure, 'id' | 'tenant' | 'subject' | 'endUserId' | 'actor'>

type ErasureQuery = Sight & {
  subject?: string | undefined
  cursor: string | undefined
  limit: number
}
