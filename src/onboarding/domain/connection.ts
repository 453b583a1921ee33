import type { Snapshot } from './audit/audit.ts'
import type { Cause } from './cause.ts'
import type { Config, UpstreamAccount } from './link.ts'
import type { GrantOrigin } from './stored-grant.ts'

/** The durable result of links: what stands on the platform for one tenant and one upstream account. */
export type Connection = {
  id: string
  tenant: string
  workspace: string
  integration: string
  name: string
  functionName: string
  functionUrl: string
  account: UpstreamAccount | undefined
  scopes: string[]
  /** What was typed for it and kept from answers; a re-link keeps to what was typed. */
  config: Config
  status: ConnectionStatus
  /** When the status came to be what it is; found broken again, it stays at the first time. */
  statusSince: Date
  /** Why it needs a re-link. */
  cause: Cause | undefined
  /** Counts the grants it has had, so that news of an old one is told from news of this one. */
  grantVersion: number
  checkedAt: Date | undefined
  /** When the first of the checks was that could not tell whether it works; undefined if the last one could. */
  unclearSince: Date | undefined
  unclearChecks: number
  /** How often since it last worked the provider refused to refresh its grant and did not say why. */
  unexplainedRefusals: number
  /** Set once its tenant was told that nobody knows whether it works. */
  healthUnknownSince: Date | undefined
  /** Set once its tenant was told that its grant ends then, whatever is done with it. */
  grantEndsAt: Date | undefined
  relinkedAt: Date | undefined
  disconnectedAt: Date | undefined
  endUserId: string
  createdAt: Date
  updatedAt: Date
}

export const connectionStatuses = ['active', 'needs_relink', 'disconnected'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

/** Names on the platform: readable, unguessable enough not to collide, at most 49 characters. */
export function resourceName(integration: string, digest: string): string {
  return `${integration.slice(0, 36)}-${digest.slice(0, 10)}`
}

/** For the record of a re-link: where no account was known, anybody's could come in. */
export const accountComparison = (...connections: ReadonlyArray<Pick<Connection, 'account'>>) =>
  connections.every(({ account }) => account) ? {} : { accountCompared: false }

/** The names of a connection's resources on the platform. */
export const platformNames = ({ workspace, integration, id, name, functionName }: Connection) => ({
  workspace,
  integration,
  connectionId: id,
  connectionName: name,
  functionName,
})

/** Marks what we made, so that an existing name can be told from somebody else's. */
export const ownershipLabel = 'causeway-connection'

/** What the audit keeps of a connection before and after a change. */
export const connectionSnapshot = (connection: Connection): Snapshot => ({
  ...connectionState(connection),
  name: connection.name,
  account: connection.account?.label ?? null,
  scopes: connection.scopes,
})

/** The part of it that a read-only check can find changed. */
export const connectionState = ({ status, cause }: Connection): Snapshot => ({ status, cause: cause ?? null })

/** What a link leaves behind when it ends well, beside the connection itself. */
export type LinkOutcome = GrantOrigin & {
  checkInSeconds: number
  /** Whether the sealed grant is stored; otherwise only its fingerprint is. */
  keepGrant: boolean
  rotates: boolean
  /** How long the previous grant can be restored; 0 wipes it at once. Undefined if there was none. */
  previousSeconds: number | undefined
}
