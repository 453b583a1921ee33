import { randomBytes } from 'node:crypto'
import { goodBehaviour, type Switches } from './switch-table.ts'

export type Client = {
  id: string
  /** Undefined for a public client. */
  secret: string | undefined
  redirectUris: readonly string[]
  /** Set if the client registered itself (RFC 7591), by the clock of the instance. */
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
  /** The segment of the API's address that `callback_member` or `api_base_member` names. */
  place: string
}

type RefreshToken = { token: string; issuedAt: number; spentAt?: number }

export type Grant = {
  id: string
  client: string
  account: string
  scopes: readonly string[]
  place: string
  grantedAt: number
  refreshedAt: number
  refreshTokens: RefreshToken[]
  /** Expiry by token. */
  accessTokens: Map<string, number>
  endedBy?: 'revocation' | 'user' | 'limit' | 'reuse'
}

/** A request without its secrets. */
type RequestRecord = {
  endpoint: string
  method: string
  contentType: string | undefined
  authorization: string | undefined
  parameters: Record<string, string>
}

/** `permissions`: words by scope. */
type Brand = { name: string; client: string; icon: string; color: string; permissions: Record<string, string> }

export type Instance = {
  segment: string
  url: string
  switches: Switches
  /** How the consent page looks. */
  brand?: Brand
  /** Set by `PUT /control/app-setting`. Refresh tokens may depend on it. */
  appSetting: boolean
  clients: Map<string, Client>
  codes: Map<string, AuthorizationCode>
  grants: Grant[]
  consented: Set<string>
  requests: RequestRecord[]
  /** Milliseconds by the clock of this instance. */
  now(): number
  advance(seconds: number): void
}

/** Registered in every instance. The secret is public: a misbehaving provider holds nothing to protect. */
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

const maxRemembered = 10_000

export function remember<T>(list: T[], entry: T): void {
  list.push(entry)
  if (list.length > maxRemembered) list.shift()
}
