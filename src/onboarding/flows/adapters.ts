// Everything a flow can ask for. A flow names the few it needs with Pick, so its signature is its documentation.
import type { BackgroundWork } from '../../kit/process/background-work.ts'
import type { ConsoleIssuer, ConsoleSessions } from '../domain/console-ports.ts'
import type { Integration } from '../domain/integration.ts'
import type { Link } from '../domain/link.ts'
import type { Platform, PlatformUpkeep, Provider } from '../domain/outside-ports.ts'
import type {
  ApiKeys,
  Audit,
  Connections,
  ConnectSessions,
  HeldSecrets,
  Idempotency,
  Links,
  PendingAuthorizations,
  RateLimits,
  Seal,
  SealedRows,
  Tenants,
  Tokens,
} from '../domain/ports.ts'
import type { Rates } from '../domain/rate-limit.ts'
import type { FunctionState, SupportLedger } from '../domain/support-ports.ts'
import type { Campaigns, ConnectionTasks, HealthChecks, KeptGrants } from '../domain/upkeep-ports.ts'
import type { Deliveries, WebhookSender, Webhooks } from '../domain/webhook-ports.ts'

export type Adapters = {
  tenants: Tenants
  apiKeys: ApiKeys
  sessions: ConnectSessions
  links: Links
  held: HeldSecrets
  connections: Connections
  keptGrants: KeptGrants
  healthChecks: HealthChecks
  tasks: ConnectionTasks
  campaigns: Campaigns
  audit: Audit
  support: SupportLedger
  functionState(workspace: string, name: string): Promise<FunctionState | undefined>
  idempotency: Idempotency
  pending: PendingAuthorizations
  rates: RateLimits
  webhooks: Webhooks
  deliveries: Deliveries
  webhookSender: WebhookSender
  provider: Provider
  platform: Platform
  upkeep: PlatformUpkeep
  integrations: { find(id: string): Integration | undefined; all(): Integration[] }
  seal: Seal
  sealedRows: SealedRows
  tokens: Tokens
  now(): Date
  chance(): number
  pause(ms: number): Promise<void>
  background: Pick<BackgroundWork, 'keep'>
}

/** Only where people can sign in to the support console. */
export type ConsoleAdapters = { issuer: ConsoleIssuer; consoleSessions: ConsoleSessions }

export type Settings = {
  publicUrl: string
  completion: 'required' | 'optional'
  sessionSeconds: number
  authorizationSeconds: number
  heldCodeSeconds: number
  verifyFunctions: boolean
  keepGrants: boolean
  /** Whether the platform takes new secrets under the name of a connection. */
  connectionPut: boolean
  /** How often a connection is looked after, where its profile does not say. */
  healthSeconds: number
  /** How long a grant waits for somebody to put it to work. */
  escrowSeconds: number
  backlogPerTenant: number
  rates: Rates
}

/** A link as it stands, and as it will stand when the work just begun on it is done. */
export type UnderWay = { link: Link; done: Promise<Link> }
