import type { Snapshot } from './audit/audit.ts'
import type { Cause } from './cause.ts'
import type { Config, UpstreamAccount } from './link.ts'
import type { Labels } from './linking/connection-names.ts'
import type { GrantOrigin } from './stored-grant.ts'

export type Connection = {
  id: string
  tenant: string
  workspace: string
  integration: string
  name: string
  functionName: string
  functionUrl: string
  /** Unique for the user and integration, until the connection is disconnected. */
  alias?: string | undefined
  labels?: Labels | undefined
  account: UpstreamAccount | undefined
  scopes: string[]
  config: Config
  status: ConnectionStatus
  statusSince: Date
  cause: Cause | undefined
  /** Tells reports about an old grant from reports about the current one. */
  grantVersion: number
  checkedAt: Date | undefined
  unclearSince: Date | undefined
  unclearChecks: number
  unexplainedRefusals: number
  healthUnknownSince: Date | undefined
  grantEndsAt: Date | undefined
  relinkedAt: Date | undefined
  disconnectedAt: Date | undefined
  endUserId: string
  createdAt: Date
  updatedAt: Date
}

export const connectionStatuses = ['active', 'needs_relink', 'not_linked', 'disconnected'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

/** Readable, collision-resistant, at most 49 characters. */
export function resourceName(integration: string, digest: string): string {
  return `${integration.slice(0, 36)}-${digest.slice(0, 10)}`
}

/** IDs of connections that their user cannot tell apart by app and account. */
export function lookalikes(connections: readonly Connection[]): Set<string> {
  const looksOf = ({ tenant, endUserId, integration, alias, account }: Connection) =>
    JSON.stringify([tenant, endUserId, integration, alias, account?.label])
  const ids = new Map<string, string[]>()
  for (const each of connections) ids.set(looksOf(each), [...(ids.get(looksOf(each)) ?? []), each.id])
  return new Set([...ids.values()].filter(({ length }) => length > 1).flat())
}

/** For the audit of a re-link: without a known account any account could be linked. */
export const accountComparison = (...connections: ReadonlyArray<Pick<Connection, 'account'>>) =>
  connections.every(({ account }) => account && !account.claimed) ? {} : { accountCompared: false }

export const platformNames = ({ workspace, integration, id, name, functionName, alias }: Connection) => ({
  workspace,
  integration,
  alias,
  connectionId: id,
  connectionName: name,
  functionName,
})

export const ownershipLabel = 'causeway-connection'

export const connectionSnapshot = (connection: Connection): Snapshot => ({
  ...connectionState(connection),
  name: connection.name,
  account: connection.account?.label ?? null,
  scopes: connection.scopes,
})

/** A rejected client may be corrected, unlike a revoked grant, and the problem outlives the correction. */
export const isCorrected = (
  { status, statusSince }: Pick<Connection, 'status' | 'statusSince'>,
  { cause, at }: { cause: Cause; at: Date },
): boolean => cause === 'client_rejected' && status === 'active' && statusSince > at

export const connectionState = ({ status, cause }: Connection): Snapshot => ({ status, cause: cause ?? null })

export type NewConnection = Pick<
  Connection,
  | 'id'
  | 'tenant'
  | 'workspace'
  | 'integration'
  | 'name'
  | 'functionName'
  | 'functionUrl'
  | 'alias'
  | 'labels'
  | 'config'
  | 'endUserId'
>

export type LinkOutcome = GrantOrigin & {
  checkInSeconds: number
  keepGrant: boolean
  rotates: boolean
  /** 0 wipes the previous grant at once. Undefined if there was no previous grant. */
  previousSeconds: number | undefined
}
