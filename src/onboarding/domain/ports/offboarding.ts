import type { Actor } from '../audit/audit.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { DeletionStep, TenantDeletion } from '../offboarding/tenant-deletion.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { Erasures } from './erasures.ts'

export type TenantDeletions = {
  /**
   * From here on the tenant is being deleted and none of its keys works. Returns the one under way or done if there is
   * one, and undefined if there is no such tenant.
   */
  open(tenant: string, actor: Actor, audit: AuditEntry): Promise<TenantDeletion | undefined>
  find(tenant: string): Promise<TenantDeletion | undefined>
  /** Those whose time has come, each now leased to the caller. */
  claimDue(limit: number): Promise<TenantDeletion[]>
  /** Returns undefined if another worker has taken it over. */
  move(deletion: TenantDeletion, step: DeletionStep): Promise<TenantDeletion | undefined>
  /** The same, with the last event for the tenant's endpoints. */
  announce(deletion: TenantDeletion, event: TenantEvent): Promise<TenantDeletion | undefined>
  postpone(deletion: TenantDeletion, delaySeconds: number): Promise<void>
  /** Cancels every session that was not started. Returns how many there were. */
  cancelSessions(tenant: string, audit: AuditEntry): Promise<number>
  /** Whether a message to one of its endpoints is still to be sent. */
  hasUnsentMessages(tenant: string): Promise<boolean>
  /** How many sessions, links and connections have not ended. */
  countOpen(tenant: string): Promise<number>
  countConnections(tenant: string): Promise<number>
  /** Deletes endpoints, OAuth clients and rows of imports, and wipes secrets. The tenant's id stays taken, for the audit log. */
  finish(deletion: TenantDeletion, audit: AuditEntry): Promise<TenantDeletion | undefined>
}

export type OffboardingPorts = { deletions: TenantDeletions; erasures: Erasures }
