import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import type { Integration } from './integration.ts'

/** `version` changes when the secrets are replaced. */
export type Connection = {
  id: string
  version: number
  workspace: string
  name: string
  integration: string
  config: Readonly<Record<string, string>>
  secrets: Secret<Record<string, string>>
  /** The page of the product where the grant is renewed. */
  repairUrl?: string | undefined
}

export type McpFunction = {
  id: string
  name: string
  displayName: string
  status: string
  memoryMb: number
  /** Empty if the function has connections. */
  image?: string
}

export type ConnectedFunction = McpFunction & { connections: Connection[] }

export type Workloads = {
  findFunction(workspace: string, name: string): Promise<McpFunction | undefined>
  /** Reads the current state on every call. An unchanged function is the same object. */
  findFunctionWithConnections(workspace: string, name: string): Promise<ConnectedFunction | undefined>
  findConnection(workspace: string, name: string): Promise<Connection | undefined>
  /** Stores a rotated refresh token, unless the secrets have been replaced since. */
  rotateRefreshToken(connection: Connection, refreshToken: Secret): Promise<void>
  /** Adds an event for the function's owner, once per version of the secrets. */
  noteRevokedGrant(workspace: string, functionName: string, connection: Connection): Promise<void>
  noteMissingScope(workspace: string, functionName: string, connection: Connection): Promise<void>
  /** Called after a successful call. Adds an event if the last one reports that older secrets failed. */
  noteRestoredGrant(workspace: string, functionName: string, connection: Connection): Promise<void>
  noteToolChange(workspace: string, functionName: string, change: ToolChange): Promise<void>
  noteApprovedTools(workspace: string, functionName: string, connection: string, hash: string, by: Actor): Promise<void>
}

type ToolChange = { connection: string; hash: string; outcome: 'held' | 'allowed' }

/** The function was created before an account was linked. */
export class NotLinked extends Error {
  constructor(readonly connection: string) {
    super(`no account is linked to connection ${connection}`)
  }
}

/** Only the owner of the connection can fix it. */
export class GrantRevoked extends Error {
  constructor(readonly connection: string) {
    super(`the grant of connection ${connection} has been revoked`)
  }
}

/** The third party failed; a retry may succeed. */
export class ThirdPartyError extends Error {}

/** The address is private or without TLS and not allowed. Nothing was sent. */
export class AddressBlocked extends ThirdPartyError {
  constructor(host: string) {
    super(`${host} is blocked.`)
  }
}

/** Never followed: the token would go to an address that nobody configured. */
export class VendorRedirects extends ThirdPartyError {
  constructor() {
    super('It redirects to another address.')
  }
}

export class AnswerTooLarge extends ThirdPartyError {
  constructor(readonly limit: string) {
    super(`the response is larger than ${limit}`)
  }
}

/** The refresh does not match the integration's profile; only the operator can fix it. */
export class ProfileMismatch extends ThirdPartyError {}

/** May contain a rotated refresh token at an unknown place. `answer` is read again when the profile changes. */
export class AnswerUnread extends ProfileMismatch {
  constructor(
    readonly answer: Secret,
    readonly isCutOff: boolean,
  ) {
    super(isCutOff ? 'The token endpoint closed the connection before the end of its response.' : unreadMessage)
  }
}

const unreadMessage =
  'The profile of this integration (`tokenAnswer`) does not describe the response of its token endpoint. The response is stored and will be read again when the profile is corrected.'

/** The endpoint gave no reason: the grant may have ended or the request failed on the way. */
export class RefreshRefused extends ThirdPartyError {}

/** The third party rejects the OAuth client or its secret; only the owner of the connection can fix it. */
export class ClientRejected extends ThirdPartyError {}

type Rotation = Pick<Integration, 'rotation'>

/**
 * If refresh tokens rotate, an unread response probably contains the next one and waits for a corrected profile. A
 * response that broke off can never be read: the old token is tried, unless reuse revokes the grant (RFC 9700, section
 * 4.14.2).
 */
export const mayBeSentAgain = ({ rotation }: Rotation, { isCutOff }: Pick<AnswerUnread, 'isCutOff'>): boolean =>
  rotation === 'none' || (isCutOff && rotation !== 'single_use')

export function reportedError(unread: AnswerUnread, integration: Rotation, { name }: Pick<Connection, 'name'>): Error {
  if (!unread.isCutOff) return unread
  return mayBeSentAgain(integration, unread) ? new ThirdPartyError(unread.message) : new GrantRevoked(name)
}

export function isLinked({ secrets }: Pick<Connection, 'secrets'>): boolean {
  const { ACCESS_TOKEN = '', REFRESH_TOKEN = '' } = secrets.reveal()
  return ACCESS_TOKEN !== '' || REFRESH_TOKEN !== ''
}

/** Returns the access token of a grant that has no refresh token; if it is rejected, the grant has ended. */
export function unrefreshedToken({ name, secrets }: Connection, refused: Secret | undefined): Secret | undefined {
  const { ACCESS_TOKEN = '', REFRESH_TOKEN = '' } = secrets.reveal()
  if (ACCESS_TOKEN === '' || REFRESH_TOKEN !== '') return undefined
  if (refused?.reveal() === ACCESS_TOKEN) throw new GrantRevoked(name)
  return new Secret(ACCESS_TOKEN)
}
