import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import type { Member } from '../../shared/domain/caller.ts'
import type { Connection, Workloads } from './connection.ts'
import type { Integration } from './integration.ts'
import type { HttpCall } from './tool-request.ts'
import type { FindWorkload, Mount, Workload } from './workload.ts'

/** `goodUntil` lies shortly before the end of its life. */
export type AccessToken = { token: Secret; goodUntil: Date }

export type StoredToken = AccessToken & { envelope: string }

/** Access tokens that all processes share, and the right to fetch a new one, given to one process at a time. */
export type AccessTokens = {
  find(connection: Connection): Promise<StoredToken | undefined>
  /** Only if what is stored is still what the caller saw: somebody may have fetched a token since. */
  lease(connection: Connection, owner: string, until: Date, seen: StoredToken | undefined): Promise<boolean>
  save(connection: Connection, owner: string, token: AccessToken): Promise<void>
  release(connection: Connection, owner: string): Promise<void>
  /** The answer to a refresh that could not be read, until a token is saved or the secrets are replaced. */
  findUnread(connection: Connection): Promise<Secret | undefined>
  /** Undefined: it has been read. */
  keepUnread(connection: Connection, owner: string, answer: Secret | undefined): Promise<void>
}

/** An answer without an access token is not thrown away either: its refresh token may be the only one that works. */
export type TokenAnswer = {
  accessToken: Secret | undefined
  refreshToken: Secret | undefined
  expiresInSeconds: number
  receivedAt: Date
}

/** `contentType` as it was sent. */
export type ApiAnswer = { status: number; contentType: string; bytes: Buffer }

export type ThirdParty = {
  /** Throws AnswerUnread for an answer that has to be kept. */
  refresh(integration: Integration, connection: Connection): Promise<TokenAnswer>
  /** One that was kept, by what the profile says now. */
  readAgain(integration: Integration, connection: Connection, answer: Secret): TokenAnswer
  call(call: HttpCall, accessToken: Secret, signal: AbortSignal): Promise<ApiAnswer>
}

/** What the control plane tells the gateway about its resources. */
export type ControlPlane = Workloads & {
  findWorkload: FindWorkload
  /** The ids of those that exist, by name. */
  findStorage(workspace: string, kind: 'volume' | 'drive', names: string[]): Promise<Map<string, string>>
  /** Reads the sandbox, decides its drives and writes them as one step. Returns undefined if there is no such sandbox. */
  changeDrives(member: Member, sandbox: string, decide: (sandbox: Workload) => Mount[]): Promise<Workload | undefined>
  /** Every agent of every workspace that a clock calls. */
  agentsWithSchedules(): Promise<
    Array<{ uid: string; workspace: string; name: string; triggers: readonly Trigger[]; updatedAt: Date }>
  >
  /** Every connection to one of these integrations. */
  connectionsTo(integrations: readonly string[]): Promise<Array<{ workspace: string; name: string }>>
  /** Tells the owner of an agent that a callback was not delivered. */
  noteCallback(workspace: string, agent: string, message: string): Promise<void>
}

/** Calls every listener after this process has written a resource. */
export type ResourceChanges = { listen(listener: (change: { kind: string; removed: boolean }) => void): void }
