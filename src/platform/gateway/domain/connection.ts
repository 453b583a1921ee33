import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'

/** A connection as the gateway needs it. `version` changes when somebody replaces the secrets. */
export type Connection = {
  id: string
  version: number
  workspace: string
  name: string
  integration: string
  /** What belongs to the account and is no secret: it fills gaps in the addresses of the integration. */
  config: Readonly<Record<string, string>>
  secrets: Secret<Record<string, string>>
}

export type McpFunction = {
  id: string
  name: string
  displayName: string
  status: string
  memoryMb: number
}

/** `connections`: those that exist, in the order in which the function names them. */
export type ConnectedFunction = McpFunction & { connections: Connection[] }

/** What the control plane hands to the gateway. */
export type Workloads = {
  findFunction(workspace: string, name: string): Promise<McpFunction | undefined>
  /** As they are now: whatever was taken away a moment ago is not among them. Unchanged, it is the same object. */
  findFunctionWithConnections(workspace: string, name: string): Promise<ConnectedFunction | undefined>
  findConnection(workspace: string, name: string): Promise<Connection | undefined>
  /** Keeps the refresh token that replaced the one just used, unless somebody replaced the secrets meanwhile. */
  rotateRefreshToken(connection: Connection, refreshToken: Secret): Promise<void>
  /** Puts an event on the function that says what its owner has to do; once for the same secrets. */
  noteRevokedGrant(workspace: string, functionName: string, connection: Connection): Promise<void>
  /** The same where the grant is alive and does not cover what was called. */
  noteMissingScope(workspace: string, functionName: string, connection: Connection): Promise<void>
  /** Called after a successful call: adds an event to the function if its last event says that older secrets broke. */
  noteRestoredGrant(workspace: string, functionName: string, connection: Connection): Promise<void>
  /** Puts an event on the function: the vendor's server offers other tools than before. Once for the same tools. */
  noteToolChange(workspace: string, functionName: string, change: ToolChange): Promise<void>
  /** The same for an approval, with who gave it on record. */
  noteApprovedTools(workspace: string, functionName: string, connection: string, hash: string, by: Actor): Promise<void>
}

export type ToolChange = { connection: string; hash: string; outcome: 'held' | 'allowed' }

/** The third party will not give a token for this grant again: only its owner can fix that. */
export class GrantRevoked extends Error {
  constructor(readonly connection: string) {
    super(`the grant of connection ${connection} is not accepted any more`)
  }
}

/** The third party did not answer as it should; the same call may work later. */
export class ThirdPartyError extends Error {}

/** The address is private or without TLS, and nobody has allowed it: nothing was sent, and no later call is. */
export class AddressBlocked extends ThirdPartyError {
  constructor(host: string) {
    super(`${host} is not called from here.`)
  }
}

/** Only a smaller question helps. */
export class AnswerTooLarge extends ThirdPartyError {
  constructor(readonly limit: string) {
    super(`the answer is larger than ${limit}`)
  }
}

/**
 * Its token endpoint does not take a refresh, or answers it otherwise than the profile of the integration says: only the
 * operator can fix that.
 */
export class ProfileMismatch extends ThirdPartyError {}

/**
 * The answer to a refresh may hold the token that replaced the one sent, and nobody finds it there. `answer`: as it came,
 * to be read again when the profile says more.
 */
export class AnswerUnread extends ProfileMismatch {
  constructor(
    readonly answer: Secret,
    readonly isCutOff: boolean,
  ) {
    super(isCutOff ? 'The token endpoint broke off its answer.' : unreadMessage)
  }
}

const unreadMessage =
  'Its token endpoint answered in a form that the profile of this integration does not describe (`tokenAnswer`). The answer is kept, and is read again when the profile is corrected.'

/** Its token endpoint refused to refresh, and did not say why: a dead grant, or a fault on the way. */
export class RefreshRefused extends ThirdPartyError {}

/** The third party does not know the OAuth client, or not by this secret: only its owner can fix that. */
export class ClientRejected extends ThirdPartyError {}
