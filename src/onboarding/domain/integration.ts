import type { Profile as ContractProfile } from '../../contract/integrations/profile.ts'
import type { ProviderAbout } from '../../contract/integrations/provider-file.ts'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { Snapshot } from './audit/audit.ts'

export type Scope = Profile['scopes'][number]
export type ClientAuthentication = Profile['clientAuthentication']

export type Profile = Omit<ContractProfile, 'health'> & { health: HealthProfile }

export type HealthProfile = ContractProfile['health'] & { by: 'function' | 'refresh' }

export type OwnClient = {
  integration: string
  clientId: string
  hasSecret: boolean
  createdAt: Date
  updatedAt: Date
}

export type OAuthClient = { id: string; secret: Secret | undefined; redirectUri?: string | undefined }

/** An MCP server may have no client: one is registered when the first link starts. */
export type ConfiguredIntegration = {
  profile: Profile
  client: OAuthClient | undefined
  /** The profile of the catalogue that the entry names. */
  catalogued?: string | undefined
  /** Clients that links in progress and stored grants may still need. */
  earlierClients?: readonly OAuthClient[]
}

export class ClientUnreadable extends Error {}

export const clientSnapshot = (integration: string, clientId: string, fingerprint: string | undefined): Snapshot => ({
  integration,
  clientId,
  secretFingerprint: fingerprint ?? null,
})

/**
 * `about`: source of the profile. Undefined for profiles that the deployment defines. `shipped`: the profile of the
 * catalogue for the same app, which the entry of the deployment may override. `realAddresses`: set in test mode, where the
 * profile has the addresses of the built-in provider.
 */
export type Integration = Profile & {
  client: OAuthClient | undefined
  earlierClients?: readonly OAuthClient[] | undefined
  about?: ProviderAbout | undefined
  realAddresses?: readonly string[]
  shipped?: () => Pick<Profile, 'scopes' | 'scopesFrom' | 'authorizationParameters'>
}

export const rotatesRefreshTokens = ({ rotation }: Pick<Profile, 'rotation'>): boolean =>
  rotation === 'replaces' || rotation === 'single_use'

/** If two parties refresh a rotating token, one of them reuses an old token, which ends the grant. */
export const isRefreshedTwice = (profile: Pick<Profile, 'rotation' | 'health'>): boolean =>
  rotatesRefreshTokens(profile) && profile.health.by === 'refresh'

export const refreshedTwice =
  'rotates refresh tokens, so only the platform (health.by: function) or a health check may refresh them'

/** Discovered metadata may name an endpoint, which is read when a grant is revoked. */
export const offersRevocation = ({
  endpoints,
  revocation: { style, url },
}: Pick<Profile, 'endpoints' | 'revocation'>) => style !== 'none' && (url !== undefined || endpoints === undefined)
