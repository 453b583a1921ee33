import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { ConnectSession } from '../connect-session.ts'
import type { TestProvider } from './test-mode.ts'

export type ConnectSessions = {
  create(session: NewSession, tokenDigest: string, audit: AuditEntry): Promise<ConnectSession>
  byToken(tokenDigest: string): Promise<ConnectSession | undefined>
  /** Returns and forgets a session that this process has read. It may have been started, cancelled or expired since. */
  recall(tokenDigest: string): ConnectSession | undefined
  find(id: string): Promise<ConnectSession | undefined>
  /** Archives a failed link, so that its session can be started again. */
  archiveFailedLink(session: ConnectSession, archiveId: string): Promise<void>
  cancel(id: string, audit: AuditEntry): Promise<boolean>
  noteCause(id: string, cause: Cause): Promise<void>
}

export type NewSession = Pick<
  ConnectSession,
  | 'id'
  | 'tenant'
  | 'integration'
  | 'choices'
  | 'endUser'
  | 'returnUrl'
  | 'completionChallenge'
  | 'inputs'
  | 'alias'
  | 'labels'
  | 'scopes'
  | 'testOutcome'
  | 'connectionId'
  | 'allowOtherAccount'
  | 'ifConnected'
> & { ttlSeconds: number }

export type PendingAuthorization = {
  link: string
  callback: string
  /** Sealed together with the link: a reader of Redis cannot finish a flow, a writer cannot replace it. */
  verifier: string
  nonce: string
  browser: string
}

export type Claim =
  | { outcome: 'first' | 'replay'; pending: PendingAuthorization }
  | { outcome: 'expired' | 'foreign_browser' | 'foreign_callback'; link: string }
  | { outcome: 'unknown' }

export type PendingAuthorizations = {
  put(state: string, pending: PendingAuthorization, ttlSeconds: number): Promise<void>
  claim(state: string, by: { attempt: string; browsers: string[]; callback: string }): Promise<Claim>
  /** Returns and forgets one that this process has stored. */
  recall(state: string): PendingAuthorization | undefined
}

export type LinkingPorts = { sessions: ConnectSessions; pending: PendingAuthorizations; testProvider: TestProvider }
