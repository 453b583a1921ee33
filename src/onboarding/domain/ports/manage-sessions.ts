import type { AuditEntry } from '../audit/audit-entry.ts'
import type { ManageSession } from '../end-users/manage-session.ts'

export type ManageSessions = {
  create(session: NewManageSession, tokenDigest: string, audit: AuditEntry): Promise<ManageSession>
  find(id: string): Promise<ManageSession | undefined>
  byToken(tokenDigest: string): Promise<ManageSession | undefined>
  /**
   * Binds it to the browser that opens it first. Returns undefined if it is unknown, over or another browser's.
   * `known`: digests of the cookies that the browser has; `fresh`: of the one that it is given.
   */
  open(tokenDigest: string, browser: { known: string[]; fresh: string }): Promise<ManageSession | undefined>
  /** False if it was revoked before. */
  revoke(id: string, audit: AuditEntry): Promise<boolean>
  /** Deletes those that are over for longer than a day. */
  forgetOld(): Promise<void>
}

export type NewManageSession = Pick<ManageSession, 'id' | 'tenant' | 'endUser' | 'returnUrl'> & {
  ttlSeconds: number
  openWithinSeconds: number
}
