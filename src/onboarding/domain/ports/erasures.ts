import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Link } from '../link.ts'
import type { Erasure, ErasureStep, OpenErasure } from '../offboarding/erasure.ts'
import type { Sight } from '../tenant.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { Page } from './shared.ts'

export type Erasures = {
  /** Returns the one under way if there is one for the same user; then nothing is noted. */
  open(erasure: NewErasure, audit: AuditEntry): Promise<Erasure>
  find(id: string): Promise<Erasure | undefined>
  list(query: ErasureQuery): Promise<Page<Erasure>>
  /** Those whose time has come, each now leased to the caller. */
  claimDue(limit: number): Promise<OpenErasure[]>
  /** Returns undefined if another worker has taken it over. */
  move(erasure: OpenErasure, step: Exclude<ErasureStep, 'done'>): Promise<OpenErasure | undefined>
  /** `cause`: what it waits for. */
  postpone(erasure: Erasure, delaySeconds: number, cause: Cause | undefined): Promise<void>
  /** Nothing of the user can be started or opened any more: connect sessions, manage pages and rows of imports. */
  closeSessions(erasure: OpenErasure): Promise<void>
  /** Links of the user that have not ended, the oldest first. */
  openLinks(erasure: OpenErasure, limit: number): Promise<Link[]>
  /** Connections of the user that are not disconnected. */
  openConnections(erasure: OpenErasure, limit: number): Promise<string[]>
  /** What a task on one of those connections waits for. */
  blockingCause(erasure: OpenErasure): Promise<Cause | undefined>
  /** Whether a message about the user is still to be sent. */
  hasUnsentMessages(erasure: OpenErasure): Promise<boolean>
  /**
   * Removes everything that names the user, all at once, and writes the receipt. Returns `open` and changes nothing if
   * something of theirs has begun meanwhile, and undefined if another worker has taken the erasure over.
   */
  finish(erasure: OpenErasure, event: TenantEvent, audit: AuditEntry): Promise<Erasure | 'open' | undefined>
}

export type NewErasure = Pick<OpenErasure, 'id' | 'tenant' | 'subject' | 'endUserId' | 'actor'>

export type ErasureQuery = Sight & {
  /** Of one user, by the hash of their id. */
  subject?: string | undefined
  cursor: string | undefined
  limit: number
}
