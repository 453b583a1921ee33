import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import type { Member } from '../../shared/domain/caller.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import type { Connection, Workloads } from './connection.ts'
import type { Integration } from './integration.ts'
import type { ServedPreview, ServedPreviewToken } from './sandbox/preview.ts'
import type { TokenLimit } from './token-limit.ts'
import type { HttpCall } from './tool-request.ts'
import type { Bytes, FindWorkload, Mount, Workload, WorkloadAnswer, WorkloadRequest } from './workload.ts'

export type AccessToken = { token: Secret; goodUntil: Date }

type StoredToken = AccessToken & { envelope: string }

/** Tokens shared by all processes. One process at a time holds the lease to fetch a new one. */
export type AccessTokens = {
  find(connection: Connection): Promise<StoredToken | undefined>
  /** Succeeds only if the stored token is still `seen`. */
  lease(connection: Connection, owner: string, until: Date, seen: StoredToken | undefined): Promise<boolean>
  save(connection: Connection, owner: string, token: AccessToken): Promise<void>
  release(connection: Connection, owner: string): Promise<void>
  /** A refresh response that could not be read. Kept until a token is saved or the secrets are replaced. */
  findUnread(connection: Connection): Promise<Secret | undefined>
  keepUnread(connection: Connection, owner: string, answer: Secret | undefined): Promise<void>
}

/** Without an access token the response still counts: its refresh token may be the only valid one. */
export type TokenAnswer = {
  accessToken: Secret | undefined
  refreshToken: Secret | undefined
  expiresInSeconds: number
  receivedAt: Date
}

export type ApiAnswer = { status: number; contentType: string; bytes: Buffer; scopes?: ScopeHeaders }

/** `WWW-Authenticate` (RFC 6750, section 3), and what GitHub says of a token. */
export type ScopeHeaders = { challenge?: string; granted?: string; accepted?: string }

export type ThirdParty = {
  /** Throws AnswerUnread if the response must be kept. */
  refresh(integration: Integration, connection: Connection): Promise<TokenAnswer>
  readAgain(integration: Integration, connection: Connection, answer: Secret): TokenAnswer
  call(call: HttpCall, accessToken: Secret, signal: AbortSignal): Promise<ApiAnswer>
}

export type RelayedRequest = Omit<WorkloadRequest, 'path' | 'body'> & {
  body: Bytes | Uint8Array | null
  url: URL
  /** In every spelling that is masked. */
  secrets: readonly string[]
  displayName: string
}

/** Streams, follows no redirect, and masks the secrets in the body. */
export type SendRelayed = (request: RelayedRequest) => Promise<WorkloadAnswer>

export type Storage = { id: string; maxMb: number | undefined }

/** `id` is that of a container. Equal ones share a revision. */
type ServedImage = {
  id: string
  revision: string
  resource: string
  workspace: string
  kind: 'agent' | 'function' | 'model'
  name: string
  image: string
}

export type ControlPlane = Workloads & {
  findWorkload: FindWorkload
  findTokenLimits(workspace: string, policies: string[]): Promise<TokenLimit[]>
  findStorage(workspace: string, kind: 'volume' | 'drive', names: string[]): Promise<Map<string, Storage>>
  /** Atomic. Returns undefined if there is no such sandbox. */
  changeDrives(member: Member, sandbox: string, decide: (sandbox: Workload) => Mount[]): Promise<Workload | undefined>
  /** Of all workspaces, or one by its ID. */
  sandboxesWithImages(id?: string): Promise<Array<KeptContainer & { isWanted: boolean }>>
  /** Of agents and models with images, in all workspaces. */
  servedImages(): Promise<Array<ServedImage & { mayRun: boolean; always: boolean; lingers: boolean }>>
  servedContainer(served: ServedImage): Promise<KeptContainer | undefined>
  removedStorage(ids: readonly string[]): Promise<string[]>
  findPreview(id: string): Promise<ServedPreview | undefined>
  /** The ID of the preview whose owner chose this label. */
  findPreviewAt(label: string): Promise<string | undefined>
  /** Previews by the hosts of verified custom domains. */
  customHosts(): Promise<Map<string, string>>
  findPreviewToken(id: string): Promise<ServedPreviewToken | undefined>
  agentsWithSchedules(): Promise<
    Array<{ uid: string; workspace: string; name: string; triggers: readonly Trigger[]; updatedAt: Date }>
  >
  connectionsTo(integrations: readonly string[]): Promise<Array<{ workspace: string; name: string }>>
  noteCallback(workspace: string, agent: string, message: string): Promise<void>
}

export type ResourceChanges = { listen(listener: (change: { kind: string; removed: boolean }) => void): void }
