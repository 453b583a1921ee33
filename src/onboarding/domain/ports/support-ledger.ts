import type { Actor } from '../audit/audit.ts'
import type { AuditAction } from '../audit/audit-actions.ts'
import type { WrittenEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Connection, ConnectionStatus } from '../connection.ts'
import type { ConnectionTask } from '../connection-task.ts'
import type { HealthCheck, HealthOutcome } from '../health/health.ts'
import type { EndUser, Link, LinkState } from '../link.ts'
import type { GrantSlot } from '../stored-grant.ts'
import type { Sight } from '../tenant.ts'
import type { OutsideCall } from '../trace/outside-call.ts'
import type { Delivery, DeliveryStatus } from '../webhooks/delivery.ts'
import type { Webhook, WebhookStatus } from '../webhooks/webhook.ts'
import type { Page } from './shared.ts'

export type ProblemGroup = {
  /** `unjudged`: checks are inconclusive. `ending`: the grant ends soon. */
  what: 'links' | 'connections' | 'unjudged' | 'ending'
  cause: Cause | undefined
  count: number
  oldest: Date
}

/** Links that retry the same step for the same cause. `nextAttemptAt`: their earliest retry. */
export type RetryGroup = {
  state: LinkState
  cause: Cause | undefined
  count: number
  oldest: Date
  /** Undefined while all of them are running. */
  nextAttemptAt: Date | undefined
}

export type LinkCount = { day: Date; state: LinkState; cause: Cause | undefined; count: number }

export type HealthDay = { day: Date; outcome: HealthOutcome; count: number }

export type Backlogs = {
  oldestDueLink: Date | undefined
  oldestDueTask: Date | undefined
  oldestDueCheck: Date | undefined
  waitingDeliveries: number
  oldestDueDelivery: Date | undefined
  deadDeliveries: number
  disabledWebhooks: number
}

export type ConnectionMatch = {
  connection: Connection
  matchedBy: 'name' | 'account' | 'user' | 'workspace' | 'tenant' | 'id' | 'request'
}

export type TenantMatch = { id: string; displayName: string; workspace: string }

/** An end user of a tenant. `email` and `displayName` are of the newest session that has an email address. */
export type Person = { tenant: string; endUser: EndUser }

export type OpenSession = {
  id: string
  /** Undefined if the user picks one. */
  integration: string | undefined
  /** The connection that it reconnects. */
  connectionId: string | undefined
  createdAt: Date
  expiresAt: Date
}

/** Each list is newest first. */
export type PersonRecord = Person & { connections: Connection[]; links: Link[]; openSessions: OpenSession[] }

/** `isExact`: the text is the user's ID or email address, or the account of one of their connections. */
export type PersonMatch = Person & { isExact: boolean; connections: number; broken: number }

export type SearchResults = {
  people: PersonMatch[]
  connections: ConnectionMatch[]
  links: Link[]
  tenants: TenantMatch[]
  record: AuditLine[]
}

export type Span = { from?: Date | undefined; to?: Date | undefined }

export type ConnectionFilter = Span & {
  tenant: string | undefined
  integration: string | undefined
  status: ConnectionStatus | undefined
  cause: Cause | undefined
  healthUnknown?: boolean | undefined
  grantEnding?: boolean | undefined
}

export type LinkFilter = Span & {
  tenant: string | undefined
  integration: string | undefined
  state: LinkState | undefined
  cause: Cause | undefined
  retrying: boolean
}

export type Cursor = { cursor: string | undefined; limit: number }

export type ConnectionSort = 'created' | 'app' | 'person' | 'tenant' | 'state' | 'changed'

export type LinkSort = Exclude<ConnectionSort, 'changed'>

/** Apps, people and tenants are sorted by ID. Without an order: newest first. */
export type Sorted<By extends string> = Cursor & { order?: { by: By; isAscending: boolean } | undefined }

/** Counts stop at `maxCounted`. Links are counted for the last days only. */
export type TenantFigures = { connections: number; broken: number; linked: number; failed: number }

export const maxCounted = 10_000

export type GrantTrace = {
  linkId: string
  slot: GrantSlot
  fingerprint: string | undefined
  isStored: boolean
  storedUntil: Date | undefined
  since: Date
}

export type TaskTrace = Pick<
  ConnectionTask,
  'kind' | 'step' | 'reason' | 'notes' | 'attempts' | 'cause' | 'createdAt' | 'updatedAt'
>

export type OpenAddress = { id: string; expiresAt: Date; createdAt: Date; allowOtherAccount: boolean }

export type Receiver = Pick<Webhook, 'id' | 'tenant' | 'url' | 'status' | 'updatedAt'>

export type SentDelivery = Delivery & { receiver: { url: string; status: WebhookStatus } }

export type LinkTimeline = { link: Link; entries: WrittenEntry[] }

export type AuditLine = WrittenEntry & { hasConnection: boolean }

export type AuditFilter = Pick<Sight, 'testMode'> & {
  actor: string | undefined
  kinds?: ReadonlyArray<Actor['kind']>
  tenant: string | undefined
  action: AuditAction | undefined
  except?: AuditAction | undefined
  connection: string | undefined
  link: string | undefined
  requestId: string | undefined
  from: Date | undefined
  to: Date | undefined
}

export const anyAudit: AuditFilter = {
  actor: undefined,
  tenant: undefined,
  action: undefined,
  connection: undefined,
  link: undefined,
  requestId: undefined,
  from: undefined,
  to: undefined,
}

export type FunctionState = {
  status: string
  enabled: boolean
  message?: string | undefined
}

export type SupportLedger = {
  problems(): Promise<ProblemGroup[]>
  retries(): Promise<RetryGroup[]>
  linksByDay(days: number): Promise<LinkCount[]>
  healthByDay(integration: string, days: number): Promise<HealthDay[]>
  backlogs(): Promise<Backlogs>
  search(text: string, limit: number): Promise<SearchResults>
  connections(query: ConnectionFilter & Sorted<ConnectionSort>): Promise<Page<Connection>>
  links(query: LinkFilter & Sorted<LinkSort>): Promise<Page<Link>>
  /** Undefined if the tenant never named such a user. */
  person(tenant: string, endUserId: string): Promise<PersonRecord | undefined>
  tenantFigures(tenant: string, days: number): Promise<TenantFigures>
  /** The IDs of integrations with a connection or an ended link. */
  integrationsInUse(): Promise<readonly string[]>
  /** Sorted by name. */
  tenantsByName(limit: number): Promise<readonly Pick<TenantMatch, 'id' | 'displayName'>[]>
  /** By ID. */
  tenantNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** By connection. */
  endUsers(connectionIds: readonly string[]): Promise<ReadonlyMap<string, EndUser>>
  timelines(connectionId: string, limit: number): Promise<LinkTimeline[]>
  timeline(linkId: string): Promise<WrittenEntry[]>
  outsideCalls(linkIds: readonly string[]): Promise<ReadonlyMap<string, OutsideCall[]>>
  health(connectionId: string, limit: number): Promise<HealthCheck[]>
  grants(connectionId: string): Promise<GrantTrace[]>
  openAddresses(connectionId: string): Promise<OpenAddress[]>
  lastTask(connectionId: string): Promise<TaskTrace | undefined>
  deliveries(
    query: { tenant: string | undefined; status: DeliveryStatus | undefined } & Cursor,
  ): Promise<Page<SentDelivery>>
  receivers(tenant: string | undefined, limit: number): Promise<Receiver[]>
  audit(query: AuditFilter & Cursor): Promise<Page<AuditLine>>
}

export type ReadFunctionState = (workspace: string, name: string) => Promise<FunctionState | undefined>

export type SavedView = { name: string; query: string }

type ViewPlace = { subject: string; list: string }

/** Filters of lists, which each user of the console saves for themselves. */
export type SavedViews = {
  of(place: ViewPlace): Promise<SavedView[]>
  /** Replaces the view with the same name. False if the user has `max` others. */
  save(place: ViewPlace, view: SavedView, max: number): Promise<boolean>
  remove(place: ViewPlace, name: string): Promise<void>
}

export type SupportPorts = { support: SupportLedger; functionState: ReadFunctionState; savedViews: SavedViews }
