// Revocation and rollback need the grant, and the platform never returns it.
import type { Cause } from './cause.ts'
import type { OAuthClient, Profile } from './integration.ts'
import type { Config } from './link.ts'

export const grantSlots = ['current', 'previous'] as const
export type GrantSlot = (typeof grantSlots)[number]

export type GrantOrigin = { clientId: string; issuer?: string | undefined; tokenEndpoint?: string | undefined }

export type KnownOrigin = Partial<Record<keyof GrantOrigin, string | undefined>>

type Issuing = { integration: Pick<Profile, 'issuer' | 'endpoints'>; client: Pick<OAuthClient, 'id'> }

export const originOf = ({ integration, client }: Issuing): GrantOrigin => ({
  clientId: client.id,
  issuer: integration.issuer,
  tokenEndpoint: integration.endpoints?.token,
})

/** A client ID identifies a grant only together with its server. Without a common value, assume the same server. */
export function isSameServer(one: Omit<GrantOrigin, 'clientId'>, other: Omit<GrantOrigin, 'clientId'>): boolean {
  const isSame = (a: string | undefined, b: string | undefined) => (a && b ? a === b : undefined)
  const compared = [isSame(one.issuer, other.issuer), isSame(one.tokenEndpoint, other.tokenEndpoint)]
  return compared.includes(true) || !compared.includes(false)
}

export type StoredGrant = KnownOrigin & {
  linkId: string
  connectionId: string
  slot: GrantSlot
  /** Sealed for the escrow of its link. Undefined if grants are not stored. */
  sealed: string | undefined
  trialRefresh: string | undefined
  fingerprint: string | undefined
  /** Refresh tokens are single-use, so this one no longer works. */
  rotates: boolean
  keepUntil: Date | undefined
  createdAt: Date
}

export const previousSeconds = 24 * 60 * 60

export type RollbackRefusal =
  | 'not_kept'
  | 'stale'
  | 'other_client'
  | 'other_account'
  | 'unknown_account'
  | 'other_server'

export function rollbackRefusal(
  grant: StoredGrant | undefined,
  rotates: boolean,
  clientId: string,
): RollbackRefusal | undefined {
  if (!grant?.sealed) return 'not_kept'
  if (rotates || grant.rotates) return 'stale'
  return grant.clientId !== undefined && grant.clientId !== clientId ? 'other_client' : undefined
}

/** A re-link to an MCP server discovers again. A grant must not be sent to another server than its issuer. */
export function isIssuedBy(
  { mcpUrl, issuer, endpoints }: Pick<Profile, 'mcpUrl' | 'issuer' | 'endpoints'>,
  config: Config = {},
): boolean {
  if (mcpUrl === undefined) return true
  return endpoints !== undefined && config.issuer === issuer && config.token_endpoint === endpoints.token
}

/** For unavailable providers. A rejection is final. */
export const revocationTries = 3

export const unrevokedCauses = {
  refused: 'provider_unavailable',
  blocked: 'address_blocked',
} as const satisfies Record<string, Cause>

export type RevocationFailure = keyof typeof unrevokedCauses

export const isUnrevoked = (outcome: string): outcome is RevocationFailure => Object.hasOwn(unrevokedCauses, outcome)

export type GrantLimit = { live: number; limit: number; beyond: 'oldest_ends' | 'refused' }

/** A re-link creates its grant before it retires the old one, so at the limit it evicts the oldest grant. */
export function reachedLimit({ limits }: Pick<Profile, 'limits'>, live: number): GrantLimit | undefined {
  if (!limits || live < limits.liveGrants) return undefined
  return { live, limit: limits.liveGrants, beyond: limits.beyond }
}

const dayMs = 24 * 60 * 60 * 1_000

const warningDays = 14

/** Refreshing does not extend a max age. Warns in the last two weeks, or the last quarter of a shorter life. */
export function nearEnd(
  { refreshMaxAgeDays: days }: Pick<Profile, 'refreshMaxAgeDays'>,
  { createdAt }: Pick<StoredGrant, 'createdAt'>,
  now: Date,
): Date | undefined {
  if (days === undefined) return undefined
  const endsAt = new Date(createdAt.getTime() + days * dayMs)
  const warnsFrom = endsAt.getTime() - Math.min(warningDays, days / 4) * dayMs
  return now.getTime() >= warnsFrom ? endsAt : undefined
}
