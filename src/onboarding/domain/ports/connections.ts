import type { ApprovalDecision, ApprovalState } from '../../../contract/control-plane/approvals.ts'
import type { Actor } from '../audit/audit.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Connection, NewConnection } from '../connection.ts'
import type { ConnectionTask, TaskNotes, TaskStep } from '../connection-task.ts'
import type { ConnectionOwner, UserConnections } from '../end-users/admission.ts'
import type { ManageSession } from '../end-users/manage-session.ts'
import type { BrokenGrantCause, Finding, HealthCheck } from '../health/health.ts'
import type { Config, EndUser, UpstreamAccount } from '../link.ts'
import type { Labels, NamesChange } from '../linking/connection-names.ts'
import type { GrantOrigin, GrantSlot, StoredGrant } from '../stored-grant.ts'
import type { Sight } from '../tenant.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { FunctionAccess } from './function-access.ts'
import type { FunctionRelay } from './function-relay.ts'
import type { Page } from './shared.ts'
import type { KnownToolLists, ToolLists } from './tool-lists.ts'

export type Connections = {
  find(id: string): Promise<Connection | undefined>
  /** Without an account. A no-op if it is there already. Throws `AliasTaken`. */
  create(connection: NewConnection, audit: AuditEntry): Promise<Connection>
  named(workspace: string, name: string): Promise<Connection | undefined>
  /** Exclusive access to the connection's resources on the platform. False if the connection has ended. */
  lock(id: string, holder: string): Promise<boolean>
  /** The same for work without a ledger row: until unlock or timeout. The same holder extends it. */
  lockBriefly(id: string, holder: string): Promise<boolean>
  unlock(id: string, holder: string): Promise<void>
  list(query: ConnectionQuery): Promise<Page<Connection>>
  inUse(owner: ConnectionOwner, accountId: string | undefined): Promise<UserConnections>
  rememberScopes(id: string, values: Config): Promise<void>
  /** Undefined if it has ended. Throws `AliasTaken`. */
  rename(id: string, change: NamesChange, audit: AuditEntry): Promise<Connection | undefined>
  /** The live connection of the user and integration with this alias. */
  withAlias(owner: ConnectionOwner, alias: string): Promise<Connection | undefined>
  /** Sets the account of a connection without one, and of its grant. False if the grant was replaced. */
  pinAccount(of: Pick<Connection, 'id' | 'grantVersion'>, account: UpstreamAccount, audit: AuditEntry): Promise<boolean>
  endUser(connection: Pick<Connection, 'id' | 'endUserId'>): Promise<EndUser>
}

export type ConnectionQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  integration: string | undefined
  status: Connection['status'] | undefined
  cause: Cause | undefined
  endUserId: string | undefined
  alias?: string | undefined
  /** All of them. */
  labels?: Labels | undefined
  cursor: string | undefined
  limit: number
}

export type StoredGrants = {
  find(connectionId: string, slot: GrantSlot): Promise<StoredGrant | undefined>
  keepTrialRefresh(linkId: string, sealed: string): Promise<void>
  /** Whether an active connection has the same account, client and server. Unknown clients: same integration only. */
  sharesConsent(consent: Consent): Promise<boolean>
  /** Live grants of the account at the client, including those stored for a rollback. */
  countLive(consent: Omit<Consent, 'integration' | 'except'>): Promise<number>
  expired(limit: number): Promise<StoredGrant[]>
  wipe(linkId: string): Promise<void>
}

type Consent = GrantOrigin & {
  integration: string
  /** A claimed account counts within its tenant only. */
  tenant: string
  account: UpstreamAccount
  except?: string | undefined
}

export type HealthChecks = {
  claimDue(limit: number): Promise<ClaimedConnection[]>
  record(checked: HealthCheckDraft): Promise<HealthCheck>
  /** Records and reports the end of a grant, once per grant. Returns false if it was already recorded. */
  warnOfEnd(warning: EndWarning): Promise<boolean>
  history(connectionId: string): Promise<HealthCheck[]>
  forgetOldDays(days: number): Promise<unknown>
}

type EndWarning = { connection: Connection; endsAt: Date; audit: AuditEntry; event: TenantEvent }

export type ClaimedConnection = Connection & { claims: number }

export type HealthCheckDraft = {
  connection: Connection
  finding: Finding
  durationMs: number
  nextInSeconds: number
  actorKind: Actor['kind']
  news: AuditEntry
  /** Written in any case, for a requested check. The new state is added to its `after`. */
  asked: AuditEntry | undefined
  event: TenantEvent
  /** Written and sent once, until a check is conclusive again. */
  unknown?: { news: AuditEntry; event: TenantEvent } | undefined
}

export type ConnectionTasks = {
  /** Returns undefined if the connection has another open task. */
  open(task: NewTask, audit: AuditEntry): Promise<ConnectionTask | undefined>
  find(id: string): Promise<ConnectionTask | undefined>
  underWay(connectionId: string): Promise<ConnectionTask | undefined>
  /** Renews the lease. Returns false if another worker has taken it over. */
  keepLease(task: ConnectionTask): Promise<boolean>
  /** Returns undefined if another worker has taken it over. */
  move(task: ConnectionTask, step: TaskStep, notes: TaskNotes, audit: AuditEntry): Promise<ConnectionTask | undefined>
  fail(task: ConnectionTask, cause: Cause, audit: AuditEntry): Promise<ConnectionTask | undefined>
  finishDisconnect(task: ConnectionTask, event: TenantEvent, audit: AuditEntry): Promise<ConnectionTask | undefined>
  /** Swaps current and previous grant, and restores the account and scopes of the latter. */
  finishRollback(task: ConnectionTask, to: RolledBack, audit: AuditEntry): Promise<ConnectionTask | undefined>
  postpone(task: ConnectionTask, delaySeconds: number, cause: Cause): Promise<void>
  claimDue(limit: number): Promise<ConnectionTask[]>
}

export type RolledBack = Pick<Connection, 'name' | 'account' | 'scopes'>

type NewTask = Pick<ConnectionTask, 'id' | 'connectionId' | 'kind' | 'step' | 'reason' | 'actor' | 'notes'>

export type ConnectionPorts = {
  healthChecks: HealthChecks
  tasks: ConnectionTasks
  functionAccess: FunctionAccess
  functionRelay: FunctionRelay
  toolLists: ToolLists
  knownToolLists: KnownToolLists
  grantProblems: GrantProblems
  approvals: Approvals
  manageSessions: ManageSessions
}

export type ManageSessions = {
  create(session: NewManageSession, tokenDigest: string, audit: AuditEntry): Promise<ManageSession>
  find(id: string): Promise<ManageSession | undefined>
  byToken(tokenDigest: string): Promise<ManageSession | undefined>
  /** Binds the session to the first browser. `known` and `fresh`: digests of its cookies and of the new one. */
  open(tokenDigest: string, browser: { known: string[]; fresh: string }): Promise<ManageSession | undefined>
  revoke(id: string, audit: AuditEntry): Promise<boolean>
  forgetOld(): Promise<void>
}

type NewManageSession = Pick<ManageSession, 'id' | 'tenant' | 'endUser' | 'returnUrl'> & {
  ttlSeconds: number
  openWithinSeconds: number
}

export type GrantProblem = {
  at: Date
  workspace: string
  connectionName: string
  cause: BrokenGrantCause
  scope: string | undefined
}

/** A tool call that a person has to allow. `decision` is set after a person has decided. */
export type Approval = {
  id: string
  workspace: string
  connectionName: string
  tool: string
  state: ApprovalState
  decision: ApprovalDecision | undefined
  decidedBy: string | undefined
  caller: string
  createdAt: Date
  changedAt: Date
  expiresAt: Date
  url: string
}

/** Empty for platforms without approvals. */
export type Approvals = {
  /** By their last change, oldest first. */
  since(at: Date): Promise<Approval[]>
  of(connection: { workspace: string; name: string }): Promise<Approval[]>
}

/** Empty for platforms that do not record problems. */
export type GrantProblems = {
  since(at: Date): Promise<GrantProblem[]>
  of(connection: { workspace: string; name: string }): Promise<GrantProblem[]>
}
