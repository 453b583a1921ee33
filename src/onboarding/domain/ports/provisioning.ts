import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { LinkOutcome } from '../connection.ts'
import type { Link, LinkState, LinkStatus, MemberChanges, NewLink } from '../link.ts'
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
  /** Returns undefined if the session already has a link: of concurrent starts one wins. */
  open(link: NewLink, audit: AuditEntry): Promise<Link | undefined>
  /** Opens links for waiting import rows and leases them. Imports with too many open or stopped links are skipped. */
  openImported(query: { limit: number }, audit: ImportedEntry): Promise<Link[]>
  find(id: string): Promise<Link | undefined>
  list(query: LinkQuery): Promise<Page<Link>>
  /** Returns undefined if another worker has taken the link over or the state has changed. */
  move(link: Link, to: LinkState, changes: LinkChanges, audit: AuditEntry): Promise<Link | undefined>
  /** Returns undefined if another worker has taken the link over. */
  postpone(link: Link, delaySeconds: number, cause: Cause, calls?: readonly OutsideCall[]): Promise<Link | undefined>
  /** Renews the lease; false if the link is lost. Skips the query while most of the lease is left. */
  keepLease(link: Link): Promise<boolean>
  /** Leases a link that waits for a retry to the caller. Returns undefined if another worker was faster. */
  claimWaiting(link: Link, audit: AuditEntry): Promise<Link | undefined>
  /** Leases due links. A link that was taken over before is claimed on its own, in case it crashes. */
  claimDue(query: DueLinks): Promise<Link[]>
  stalledFor(seconds: number, page: { after: string; limit: number }): Promise<Link[]>
  /** Links of a tenant whose grant is not set up yet. Stops counting at `max`. */
  backlog(tenant: string, max: number): Promise<number>
  /** Searches only the newest thousand of all links, so that a rare integration costs no more than a common one. */
  latestSettled(query: SettledQuery): Promise<Link[]>
  hasConsentUnderWay(query: ConsentUnderWay): Promise<boolean>
  /** Exclusive right to create a connection for the user and integration. False if another worker has the link. */
  lockUser(link: Link): Promise<boolean>
  /** Whether the move that returned this link took or kept the lock. */
  hasLockedUser(link: Link): boolean
  /** Whether the move that took the lock found no connection of the user that is in use. */
  isUsersFirst(link: Link): boolean
  keepTrialRefresh(link: Link, sealed: string): Promise<boolean>
  countWrongCompletion(link: Link): Promise<number>
}

export type ImportedEntry = Pick<EntryOf<'link.imported'>, 'action' | 'actor'>

type SettledQuery = Pick<Sight, 'testMode'> & { integration: string; tenant: string | undefined; limit: number }

export type ConsentUnderWay = Pick<Link, 'tenant' | 'integration'> & {
  endUserId: string
  exceptLink?: string
  exceptConnection?: string
}

export type DueLinks = { limit: number; perTenant: number }

export type LinkChanges = MemberChanges & {
  escrow?: EscrowContent | null
  /** With `escrow`: also takes the lock of `lockUser` if it is free. */
  locksUser?: boolean
  waitingCode?: { sealed: string }
  /** Delay before a worker claims the link. By default the caller keeps its lease. */
  dueInSeconds?: number
  connected?: LinkOutcome
  event?: TenantEvent
  /** Calls since the last move. The newest `maxOutsideCalls` of a link are stored. */
  calls?: readonly OutsideCall[]
}

type EscrowContent = KnownOrigin & { sealed: string; fingerprint: string | undefined }

export type LinkQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  integration?: string | undefined
  status: LinkStatus | undefined
  cause: Cause | undefined
  cursor: string | undefined
  limit: number
}

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
