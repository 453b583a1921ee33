import type { Profile as ContractProfile } from '../../contract/integrations/profile.ts'
import type { ProviderAbout } from '../../contract/integrations/provider-file.ts'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { Snapshot } from './audit/audit.ts'

export type Scope = Profile['scopes'][number]
export type ClientAuthentication = Profile['clientAuthentication']
/** Whether revoking one token ends only that token or all grants of the user to this client. */
export type RevocationReach = Profile['revocation']['reach']

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

export class ClientUnreadable extends Error {}

export const clientSnapshot = (integration: string, clientId: string, fingerprint: string | undefined): Snapshot => ({
  integration,
  clientId,
  secretFingerprint: fingerprint ?? null,
})

/** `about`: source of the profile. Undefined for profiles that the deployment defines. */
export type Integration = Profile & { client: OAuthClient | undefined; about?: ProviderAbout | undefined }

export const rotatesRefreshTokens = ({ rotation }: Pick<Profile, 'rotation'>): boolean =>
  rotation === 'replaces' || rotation === 'single_use'

/** Discovered metadata may name an endpoint, which is read when a grant is revoked. */
export const offersRevocation = ({
  endpoints,
  revocation: { style, url },
}: Pick<Profile, 'endpoints' | 'revocation'>) => style !== 'none' && (url !== undefined || endpoints === undefined)
