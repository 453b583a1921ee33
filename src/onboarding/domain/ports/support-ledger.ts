import type { Actor } from '../audit/audit.ts'
import type { AuditAction } from '../audit/audit-actions.ts'
import type { WrittenEntry } from '../audit/audit-entry.ts'
import type { Cause } from '../cause.ts'
import type { Connection, ConnectionStatus } from '../connection.ts'
import type { ConnectionTask } from '../connection-task.ts'
import type { HealthCheck, HealthOutcome } from '../health/health.ts'
import type { Link, LinkState } from '../link.ts'
import type { GrantSlot } from '../stored-grant.ts'
import type { Sight } from '../tenant.ts'
import type { OutsideCall } from '../trace/outside-call.ts'
import type { Delivery, DeliveryStatus } from '../webhooks/delivery.ts'
import type { Webhook, WebhookStatus } from '../webhooks/webhook.ts'
import type { Page } from './shared.ts'

/** Links or connections with the same problem; `oldest` is when the first of them got it. */
export type ProblemGroup = {
  /** `unjudged`: connections that checks cannot judge. `ending`: connections whose grants end soon. */
  what: 'links' | 'connections' | 'unjudged' | 'ending'
  cause: Cause | undefined
  count: number
  oldest: Date
}

/** Links whose same step fails for the same reason and is tried again; `nextAttemptAt` is the first of their next tries. */
export type RetryGroup = {
  state: LinkState
  cause: Cause | undefined
  count: number
  oldest: Date
  /** Undefined while all of them are running. */
  nextAttemptAt: Date | undefined
}

export type LinkCount = { day: Date; state: LinkState; cause: Cause | undefined; count: number }

/** Checks of one integration on a day in UTC that found the same. */
export type HealthDay = { day: Date; outcome: HealthOutcome; count: number }

export type Backlogs = {
  /** When the most overdue link was due. */
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

export type SearchResults = {
  connections: ConnectionMatch[]
  links: Link[]
  tenants: TenantMatch[]
  /** What a request left on record, newest first. */
  record: AuditLine[]
}

/** When it was created. */
export type Span = { from?: Date | undefined; to?: Date | undefined }

export type ConnectionFilter = Span & {
  tenant: string | undefined
  integration: string | undefined
  status: ConnectionStatus | undefined
  cause: Cause | undefined
  /** Only connections that checks cannot judge. */
  healthUnknown?: boolean | undefined
  /** Only connections whose tenants were told that the grant ends soon. */
  grantEnding?: boolean | undefined
}

export type LinkFilter = Span & {
  tenant: string | undefined
  integration: string | undefined
  state: LinkState | undefined
  cause: Cause | undefined
  /** Only links with a failed step that is retried. */
  retrying: boolean
}

export type Cursor = { cursor: string | undefined; limit: number }

/** What people may see of a stored grant: never the grant itself. */
export type GrantTrace = {
  linkId: string
  slot: GrantSlot
  fingerprint: string | undefined
  /** Whether the grant itself is still there to go back to. */
  isStored: boolean
  storedUntil: Date | undefined
  since: Date
}

/** A task with several steps: its progress or its outcome. */
export type TaskTrace = Pick<
  ConnectionTask,
  'kind' | 'step' | 'reason' | 'notes' | 'attempts' | 'cause' | 'createdAt' | 'updatedAt'
>

/** An address that was minted for a re-link and still works. */
export type OpenAddress = { id: string; expiresAt: Date; createdAt: Date; allowOtherAccount: boolean }

/** Where messages go to, for people. */
export type Receiver = Pick<Webhook, 'id' | 'tenant' | 'url' | 'status' | 'updatedAt'>

export type SentDelivery = Delivery & { receiver: { url: string; status: WebhookStatus } }

/** A link, and what the audit says of it, oldest first. */
export type LinkTimeline = { link: Link; entries: WrittenEntry[] }

/** `hasConnection`: whether the connection that it names was ever made. */
export type AuditLine = WrittenEntry & { hasConnection: boolean }

export type AuditFilter = Pick<Sight, 'testMode'> & {
  /** Who it was, or what they were called. */
  actor: string | undefined
  /** Only what was done by such; any when not said. */
  kinds?: ReadonlyArray<Actor['kind']>
  tenant: string | undefined
  action: AuditAction | undefined
  /** An action that is left out. */
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

/** As the platform says it. */
export type FunctionState = {
  status: string
  enabled: boolean
  /** Why it could not be started. */
  message?: string | undefined
}

export type SupportLedger = {
  problems(): Promise<ProblemGroup[]>
  retries(): Promise<RetryGroup[]>
  linksByDay(days: number): Promise<LinkCount[]>
  healthByDay(integration: string, days: number): Promise<HealthDay[]>
  backlogs(): Promise<Backlogs>
  search(text: string, limit: number): Promise<SearchResults>
  connections(query: ConnectionFilter & Cursor): Promise<Page<Connection>>
  links(query: LinkFilter & Cursor): Promise<Page<Link>>
  timelines(connectionId: string, limit: number): Promise<LinkTimeline[]>
  timeline(linkId: string): Promise<WrittenEntry[]>
  /** What each of these links called outside, oldest first. */
  outsideCalls(linkIds: readonly string[]): Promise<ReadonlyMap<string, OutsideCall[]>>
  health(connectionId: string, limit: number): Promise<HealthCheck[]>
  grants(connectionId: string): Promise<GrantTrace[]>
  openAddresses(connectionId: string): Promise<OpenAddress[]>
  lastTask(connectionId: string): Promise<TaskTrace | undefined>
  deliveries(
    query: { tenant: string | undefined; status: DeliveryStatus | undefined } & Cursor,
  ): Promise<Page<SentDelivery>>
  /** All of a tenant, or of all tenants those that take no messages any more. */
  receivers(tenant: string | undefined, limit: number): Promise<Receiver[]>
  audit(query: AuditFilter & Cursor): Promise<Page<AuditLine>>
}

export type ReadFunctionState = (workspace: string, name: string) => Promise<FunctionState | undefined>

export type SupportPorts = { support: SupportLedger; functionState: ReadFunctionState }
