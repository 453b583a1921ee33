import type { Actor } from '../audit/audit.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Connection } from '../connection.ts'
import type { ConnectionTask, TaskNotes, TaskStep } from '../connection-task.ts'
import type { ConnectionOwner, UserConnections } from '../end-users/admission.ts'
import type { Finding, HealthCheck } from '../health/health.ts'
import type { EndUser, UpstreamAccount } from '../link.ts'
import type { GrantOrigin, GrantSlot, StoredGrant } from '../stored-grant.ts'
import type { Sight } from '../tenant.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { FunctionAccess } from './function-access.ts'
import type { GrantProblems } from './grant-problems.ts'
import type { ManageSessions } from './manage-sessions.ts'
import type { Page } from './shared.ts'
import type { KnownToolLists, ToolLists } from './tool-lists.ts'

export type Connections = {
  find(id: string): Promise<Connection | undefined>
  /** By its name on the platform. */
  named(workspace: string, name: string): Promise<Connection | undefined>
  /** Whether this link or task alone may change what stands on the platform. Not when the connection has ended. */
  lock(id: string, holder: string): Promise<boolean>
  /** The same for what leaves no trace in the ledger: until it unlocks or its time is over. Again by the same holder: longer. */
  lockBriefly(id: string, holder: string): Promise<boolean>
  unlock(id: string, holder: string): Promise<void>
  list(query: ConnectionQuery): Promise<Page<Connection>>
  /** What a user has of one integration and is in use, with those of one account, the newest first. */
  inUse(owner: ConnectionOwner, accountId: string | undefined): Promise<UserConnections>
  /** What a re-link asks the user for from now on. */
  rememberScope(id: string, scope: string): Promise<void>
  /** Says whose account it is, and its grant, of one where nobody said so; not where its grant was replaced meanwhile. */
  pinAccount(of: Pick<Connection, 'id' | 'grantVersion'>, account: UpstreamAccount, audit: AuditEntry): Promise<boolean>
  /** Whose it is, as the tenant named them when it was first linked. */
  endUser(connection: Pick<Connection, 'id' | 'endUserId'>): Promise<EndUser>
}

export type ConnectionQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  integration: string | undefined
  status: Connection['status'] | undefined
  cause: Cause | undefined
  endUserId: string | undefined
  cursor: string | undefined
  limit: number
}

export type StoredGrants = {
  find(connectionId: string, slot: GrantSlot): Promise<StoredGrant | undefined>
  /** What came back when it was tried, sealed. */
  keepTrialRefresh(linkId: string, sealed: string): Promise<void>
  /**
   * Whether a connection in use depends on the same consent: the same account, at the same client of the same
   * authorization server. Of any integration, as several may be products of one provider; one whose client is not known, of its own alone.
   */
  sharesConsent(consent: Consent): Promise<boolean>
  /** How many grants of that account at that client may be alive: those in use, and those that are kept to go back to. */
  countLive(consent: Omit<Consent, 'integration' | 'except'>): Promise<number>
  /** Previous grants whose time is over. */
  expired(limit: number): Promise<StoredGrant[]>
  wipe(linkId: string): Promise<void>
}

export type Consent = GrantOrigin & {
  integration: string
  accountId: string
  /** A connection that does not count. */
  except?: string | undefined
}

export type HealthChecks = {
  /** Connections whose turn it is, each now left alone by everybody else for a while. */
  claimDue(limit: number): Promise<ClaimedConnection[]>
  /** Writes down what was found and, when it is news, what it means for the connection. */
  record(checked: HealthCheckDraft): Promise<HealthCheck>
  /** Writes down when its grant ends, once for each grant; that is told. Returns whether it was news. */
  warnOfEnd(warning: EndWarning): Promise<boolean>
  history(connectionId: string): Promise<HealthCheck[]>
  /** Counts by day that are older than this. */
  forgetOldDays(days: number): Promise<unknown>
}

export type EndWarning = { connection: Connection; endsAt: Date; audit: AuditEntry; event: TenantEvent }

/** `claims`: who claimed it since a check was last recorded. */
export type ClaimedConnection = Connection & { claims: number }

export type HealthCheckDraft = {
  connection: Connection
  finding: Finding
  durationMs: number
  nextInSeconds: number
  actorKind: Actor['kind']
  /** Written when the connection breaks or works again. */
  news: AuditEntry
  /** Written in any case: somebody asked for it. How the connection is now is added to its `after`. */
  asked: AuditEntry | undefined
  /** Told to the tenant when the connection turns out to be broken. */
  event: TenantEvent
  /** Nobody knows any more whether it works: written and told once, until a check can tell again. */
  unknown?: { news: AuditEntry; event: TenantEvent } | undefined
}

export type ConnectionTasks = {
  /** Returns undefined if another task of the connection is under way. */
  open(task: NewTask, audit: AuditEntry): Promise<ConnectionTask | undefined>
  find(id: string): Promise<ConnectionTask | undefined>
  /** The one that is under way on a connection. */
  underWay(connectionId: string): Promise<ConnectionTask | undefined>
  /** Returns undefined if another worker has taken it over. */
  move(task: ConnectionTask, step: TaskStep, notes: TaskNotes, audit: AuditEntry): Promise<ConnectionTask | undefined>
  fail(task: ConnectionTask, cause: Cause, audit: AuditEntry): Promise<ConnectionTask | undefined>
  /** The connection is no more: its grants are wiped and the tenant is told. */
  finishDisconnect(task: ConnectionTask, event: TenantEvent, audit: AuditEntry): Promise<ConnectionTask | undefined>
  /** The grant before is the one in use again, and the other way round; the connection is what that grant makes it. */
  finishRollback(task: ConnectionTask, to: RolledBack, audit: AuditEntry): Promise<ConnectionTask | undefined>
  postpone(task: ConnectionTask, delaySeconds: number, cause: Cause): Promise<void>
  claimDue(limit: number): Promise<ConnectionTask[]>
}

export type RolledBack = Pick<Connection, 'name' | 'account' | 'scopes'>

export type NewTask = Pick<ConnectionTask, 'id' | 'connectionId' | 'kind' | 'step' | 'reason' | 'actor' | 'notes'>

export type ConnectionPorts = {
  healthChecks: HealthChecks
  tasks: ConnectionTasks
  functionAccess: FunctionAccess
  toolLists: ToolLists
  knownToolLists: KnownToolLists
  grantProblems: GrantProblems
  manageSessions: ManageSessions
}
