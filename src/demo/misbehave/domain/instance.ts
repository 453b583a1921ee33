// Everything one provider remembers. It lives in memory and ends with the process.
import { randomBytes } from 'node:crypto'
import { goodBehaviour, type Switches } from './switch-table.ts'

export type Client = {
  id: string
  /** Undefined for a public client. */
  secret: string | undefined
  redirectUris: readonly string[]
  /** By RFC 7591, at this time of the instance. */
  registeredAt?: number
}

export type AuthorizationCode = {
  client: string
  account: string
  host: string | undefined
  redirectUri: string
  scopes: readonly string[]
  challenge: string | undefined
  nonce: string | undefined
  offline: boolean
  /** What the callback or the answer names as the place of the API. */
  place: string
}

export type RefreshToken = { token: string; issuedAt: number; spentAt?: number }

export type Grant = {
  id: string
  client: string
  account: string
  scopes: readonly string[]
  place: string
  grantedAt: number
  refreshedAt: number
  refreshTokens: RefreshToken[]
  /** By token: when each ends. */
  accessTokens: Map<string, number>
  endedBy?: 'revocation' | 'user' | 'limit' | 'reuse'
}

/** What was asked, without what is secret in it. */
export type RequestRecord = {
  endpoint: string
  method: string
  contentType: string | undefined
  authorization: string | undefined
  parameters: Record<string, string>
}

export type Instance = {
  segment: string
  url: string
  switches: Switches
  /** Switched on by API: what refresh tokens depend on, a setting of the app or the provider's approval. */
  appSetting: boolean
  clients: Map<string, Client>
  codes: Map<string, AuthorizationCode>
  grants: Grant[]
  consented: Set<string>
  requests: RequestRecord[]
  /** Milliseconds, by the clock of this instance. */
  now(): number
  advance(seconds: number): void
}

/** Registered in every instance; known to everybody, as nothing here is worth protecting. */
export const firstClient = { id: 'misbehave-client', secret: 'misbehave-secret' }

export function createInstance(segment: string, url: string, switches: Partial<Switches>): Instance {
  const startedAt = Date.now()
  let ahead = 0
  const instance: Instance = {
    segment,
    url,
    switches: { ...goodBehaviour(), ...switches },
    appSetting: false,
    clients: new Map([[firstClient.id, { ...firstClient, redirectUris: [] }]]),
    codes: new Map(),
    grants: [],
    consented: new Set(),
    requests: [],
    now: () => startedAt + (Date.now() - startedAt) * instance.switches.clock_speed + ahead,
    advance(seconds) {
      ahead += seconds * 1_000
    },
  }
  return instance
}

export const newToken = (kind: string): string => `${kind}-${randomBytes(18).toString('base64url')}`

/** So much is remembered of each list; the oldest is forgotten first. */
const mostRemembered = 10_000

export function remember<T>(list: T[], entry: T): void {
  list.push(entry)
  if (list.length > mostRemembered) list.shift()
}
