import type { Snapshot } from './audit/audit.ts'
import type { Cause } from './cause.ts'
import type { Config, UpstreamAccount } from './link.ts'
import type { GrantOrigin } from './stored-grant.ts'

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

export const connectionStatuses = ['active', 'needs_relink', 'disconnected'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

/** Readable, collision-resistant, at most 49 characters. */
export function resourceName(integration: string, digest: string): string {
  return `${integration.slice(0, 36)}-${digest.slice(0, 10)}`
}

/** For the audit of a re-link: without a known account any account could be linked. */
export const accountComparison = (...connections: ReadonlyArray<Pick<Connection, 'account'>>) =>
  connections.every(({ account }) => account && !account.claimed) ? {} : { accountCompared: false }

export const platformNames = ({ workspace, integration, id, name, functionName }: Connection) => ({
  workspace,
  integration,
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

export const connectionState = ({ status, cause }: Connection): Snapshot => ({ status, cause: cause ?? null })

export type LinkOutcome = GrantOrigin & {
  checkInSeconds: number
  keepGrant: boolean
  rotates: boolean
  /** 0 wipes the previous grant at once. Undefined if there was no previous grant. */
  previousSeconds: number | undefined
}
