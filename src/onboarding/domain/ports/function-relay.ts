import type { Secret } from '../../../kit/crypto/secret.ts'

/** `path` is `{host}/{path}?{query}`, as the platform's relay takes it. */
export type RelayedRequest = {
  functionUrl: string
  path: string
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: AsyncIterable<Uint8Array> | null
  signal: AbortSignal
}

export type RelayedResponse = {
  status: number
  headers: Record<string, string | string[]>
  body: AsyncIterable<Uint8Array>
}

export type IssuedToken = {
  accessToken: Secret
  expiresAt: Date
  header: string
  prefix: string
  apiHosts: string[]
}

/** Throws a Failure if the platform itself refused the request. */
export type FunctionRelay = {
  send(request: RelayedRequest): Promise<RelayedResponse>
  issueToken(functionUrl: string, host: string): Promise<IssuedToken>
}
