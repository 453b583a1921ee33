// The platform never gives a secret back, but revoking a grant and rolling back to it need it. So once a link is done,
// its sealed grant is stored: the one in use, and for a while the one before it.
import type { Cause } from './cause.ts'
import type { OAuthClient, Profile, RevocationReach } from './integration.ts'
import type { Config } from './link.ts'

export const grantSlots = ['current', 'previous'] as const
export type GrantSlot = (typeof grantSlots)[number]

/** Whom a grant was issued to, and by which server, as far as its profile names one. */
export type GrantOrigin = { clientId: string; issuer?: string | undefined; tokenEndpoint?: string | undefined }

/** The same of a grant of which nobody may have written it down. */
export type KnownOrigin = Partial<Record<keyof GrantOrigin, string | undefined>>

type Issuing = { integration: Pick<Profile, 'issuer' | 'endpoints'>; client: Pick<OAuthClient, 'id'> }

export const originOf = ({ integration, client }: Issuing): GrantOrigin => ({
  clientId: client.id,
  issuer: integration.issuer,
  tokenEndpoint: integration.endpoints?.token,
})

/**
 * Whether two grants may be of one authorization server: a client id says so only together with it. Profiles of products
 * of one provider may name its issuer or its endpoint; those that name nothing in common have the benefit of the doubt.
 */
export function isSameServer(one: Omit<GrantOrigin, 'clientId'>, other: Omit<GrantOrigin, 'clientId'>): boolean {
  const isSame = (a: string | undefined, b: string | undefined) => (a && b ? a === b : undefined)
  const compared = [isSame(one.issuer, other.issuer), isSame(one.tokenEndpoint, other.tokenEndpoint)]
  return compared.includes(true) || !compared.includes(false)
}

export type StoredGrant = KnownOrigin & {
  /** The link that brought it. */
  linkId: string
  connectionId: string
  slot: GrantSlot
  /** Sealed for the escrow of its link; undefined if grants are not stored here. */
  sealed: string | undefined
  /** Sealed: what came back when the grant was tried. */
  trialRefresh: string | undefined
  fingerprint: string | undefined
  /** The provider replaces refresh tokens as they are used, so this one is worth nothing any more. */
  rotates: boolean
  keepUntil: Date | undefined
  createdAt: Date
}

/** How long a grant that was replaced can be gone back to. */
export const previousSeconds = 24 * 60 * 60

export type RollbackRefusal =
  | 'not_kept'
  | 'stale'
  | 'other_client'
  | 'other_account'
  | 'unknown_account'
  | 'other_server'

/** Returns why a connection cannot be rolled back to a grant, or undefined if it can. */
export function rollbackRefusal(
  grant: StoredGrant | undefined,
  rotates: boolean,
  clientId: string,
): RollbackRefusal | undefined {
  if (!grant?.sealed) return 'not_kept'
  if (rotates || grant.rotates) return 'stale'
  return grant.clientId !== undefined && grant.clientId !== clientId ? 'other_client' : undefined
}

/**
 * Whether a grant is one of the server that the integration leads to. `config`: that of the link which brought the grant.
 * A re-link to an MCP server discovers again, and a grant must not go to another server than the one that issued it.
 */
export function isIssuedBy(
  { mcpUrl, issuer, endpoints }: Pick<Profile, 'mcpUrl' | 'issuer' | 'endpoints'>,
  config: Config = {},
): boolean {
  if (mcpUrl === undefined) return true
  return endpoints !== undefined && config.issuer === issuer && config.token_endpoint === endpoints.token
}

/** A provider that is away for a moment is asked again; one that says no is left alone. */
export const revocationTries = 3

/** The provider still has the grant and may revoke it yet, and why that is tried again. */
export const unrevokedCauses = {
  refused: 'provider_unavailable',
  blocked: 'address_blocked',
} as const satisfies Record<string, Cause>

export type RevocationFailure = keyof typeof unrevokedCauses

export const isUnrevoked = (outcome: string): outcome is RevocationFailure => Object.hasOwn(unrevokedCauses, outcome)

/** Where one token cannot be revoked alone, revoking it would also end every other connection of the same consent. */
export const mayRevoke = (reach: RevocationReach, sharesConsent: boolean): boolean =>
  reach === 'token' || !sharesConsent

/** Of a provider that lets one account have so many grants of one client. */
export type GrantLimit = { live: number; limit: number; beyond: 'oldest_ends' | 'refused' }

/**
 * Undefined if one more grant ends nobody's. A re-link makes the new one before it lets the old one go, so at the limit
 * it ends the oldest, which another connection may use.
 */
export function reachedLimit({ limits }: Pick<Profile, 'limits'>, live: number): GrantLimit | undefined {
  if (!limits || live < limits.liveGrants) return undefined
  return { live, limit: limits.liveGrants, beyond: limits.beyond }
}

const dayMs = 24 * 60 * 60 * 1_000

/** Long enough for someone to read a mail and sign in again. */
const warningDays = 14

/**
 * When a grant ends, if its provider ends grants at an age and that is near: in the last two weeks, and of shorter
 * lives in their last quarter. Refreshing does not prolong it, so only a re-link before then keeps the connection going.
 */
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
