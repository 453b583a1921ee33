import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from './connection.ts'
import type { Integration } from './integration.ts'
import type { HttpCall } from './tool-request.ts'

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
}

export type TokenAnswer = { accessToken: Secret; refreshToken: Secret | undefined; expiresInSeconds: number }

export type ApiAnswer = { status: number; body: string }

export type ThirdParty = {
  refresh(integration: Integration, connection: Connection): Promise<TokenAnswer>
  call(call: HttpCall, accessToken: Secret, signal: AbortSignal): Promise<ApiAnswer>
}
