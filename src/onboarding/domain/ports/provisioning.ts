import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { LinkOutcome } from '../connection.ts'
import type { Link, LinkState, LinkStatus } from '../link.ts'
import type { KnownOrigin } from '../stored-grant.ts'
import type { Sight } from '../tenant.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { OutsideCall } from '../trace/outside-call.ts'
import type { Connections, StoredGrants } from './connections.ts'
import type { McpServers, RegisteredClients } from './mcp-servers.ts'
import type { Platform, PlatformProbe } from './platform.ts'
import type { Provider } from './provider.ts'
import type { Page } from './shared.ts'

export type Links = {
  /** Undefined when the session already has a link: a session starts once, whoever races. */
  open(link: NewLink, audit: AuditEntry): Promise<Link | undefined>
  /**
   * Opens a link, with its grant in escrow, for each of a few rows of imports that wait, and each is the caller's. Every
   * import has a turn; one that has too many links under way, or that need attention, has none.
   */
  openImported(query: { limit: number }, audit: ImportedEntry): Promise<Link[]>
  find(id: string): Promise<Link | undefined>
  list(query: LinkQuery): Promise<Page<Link>>
  /** Refused (undefined) when another worker has taken the link over or it left that state. */
  move(link: Link, to: LinkState, changes: LinkChanges, audit: AuditEntry): Promise<Link | undefined>
  /** Stays in its state and is tried again later. Undefined when another worker has taken it over. */
  postpone(link: Link, delaySeconds: number, cause: Cause, calls?: readonly OutsideCall[]): Promise<Link | undefined>
  /**
   * Whether the link is still the caller's, whose lease then begins anew. While most of a lease is left nobody can have
   * taken the link, so the ledger is not asked.
   */
  keepLease(link: Link): Promise<boolean>
  /** A link that waits for its next try is the caller's at once. Undefined when somebody else was faster. */
  claimWaiting(link: Link, audit: AuditEntry): Promise<Link | undefined>
  /**
   * Links whose time has come, each now the caller's, which counts as a take-over where the lease of another worker had
   * run out. One that was taken over before comes alone: should it end this worker, too, no other link suffers.
   */
  claimDue(query: DueLinks): Promise<Link[]>
  /** Links that have needed attention for longer than that, by id. */
  stalledFor(seconds: number, page: { after: string; limit: number }): Promise<Link[]>
  /** How many links of a tenant hold a grant that is not put to work yet; it stops counting at `most`. */
  backlog(tenant: string, most: number): Promise<number>
  /**
   * The newest links to an integration that wait for no user any more, of any tenant where none is named. Looked for
   * among the newest thousand of all, so that a rare integration costs no more than a common one.
   */
  latestSettled(query: SettledQuery): Promise<Link[]>
  /** Whether what that user granted in another link is still to be put to work. */
  hasConsentUnderWay(query: ConsentUnderWay): Promise<boolean>
  /**
   * Whether this link alone may make a connection for its user and integration. It counts until the link has ended, or
   * waits for a person: who resumes it asks again. False also when another worker has taken the link over.
   */
  lockUser(link: Link): Promise<boolean>
  /** Keeps what came back when the grant in escrow was tried. False when another worker has taken the link over. */
  keepTrialRefresh(link: Link, sealed: string): Promise<boolean>
  /** How many wrong completions there were by now. */
  countWrongCompletion(link: Link): Promise<number>
}

/** Which link it is, and which import, is found by the rows. */
export type ImportedEntry = Pick<EntryOf<'link.imported'>, 'action' | 'actor'>

export type SettledQuery = Pick<Sight, 'testMode'> & { integration: string; tenant: string | undefined; limit: number }

export type ConsentUnderWay = Pick<Link, 'tenant' | 'integration'> & {
  endUserId: string
  /** Only links that began after this one. */
  after?: string
  /** Links to this connection do not count. */
  except?: string
}

export type DueLinks = { limit: number; perTenant: number }

export type NewLink = Omit<
  Link,
  | 'importId'
  | 'state'
  | 'cause'
  | 'resumeFrom'
  | 'forcedConsent'
  | 'missingScopes'
  | 'grantedScopes'
  | 'account'
  | 'functionUrl'
  | 'attempts'
  | 'nextAttemptAt'
  | 'fence'
  | 'takeovers'
  | 'createdAt'
  | 'updatedAt'
> & { expiresInSeconds: number }

export type LinkChanges = Partial<
  Pick<
    Link,
    | 'cause'
    | 'resumeFrom'
    | 'forcedConsent'
    | 'missingScopes'
    | 'grantedScopes'
    | 'config'
    | 'account'
    | 'functionUrl'
    | 'browser'
  >
> & {
  /** It becomes a re-link of this connection: its user had connected the same account before. */
  relinkOf?: Pick<Link, 'connectionId' | 'connectionName' | 'functionName'>
  /** Replaces the escrow of this link; null wipes it. */
  escrow?: EscrowContent | null
  waitingCode?: { sealed: string }
  /** How long the link waits before a worker takes it up; when not said, the caller holds it for a worker's lease. */
  dueInSeconds?: number
  /** Shuts out whoever had the link before. */
  takeOver?: boolean
  /** Writes the connection that this link made or mended, and what becomes of the grants. */
  connected?: LinkOutcome
  /** Tells the tenant, in the same transaction. */
  event?: TenantEvent
  /** Made since the last move. The newest `mostOutsideCalls` of a link are kept. */
  calls?: readonly OutsideCall[]
}

export type EscrowContent = KnownOrigin & { sealed: string; fingerprint: string | undefined }

export type LinkQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  integration?: string | undefined
  status: LinkStatus | undefined
  cause: Cause | undefined
  cursor: string | undefined
  limit: number
}

/** Both sealed. `trialRefresh` is what came back when the grant was tried. */
export type EscrowedGrant = KnownOrigin & { sealed: string; trialRefresh: string | undefined }

export type LinkSecrets = {
  waitingCode(linkId: string): Promise<string | undefined>
  escrow(linkId: string): Promise<EscrowedGrant | undefined>
}

export type ProvisioningPorts = {
  links: Links
  secrets: LinkSecrets
  connections: Connections
  storedGrants: StoredGrants
  provider: Provider
  platform: Platform
  platformProbe: PlatformProbe
  mcpServers: McpServers
  registeredClients: RegisteredClients
}
