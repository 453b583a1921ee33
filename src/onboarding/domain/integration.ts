// An integration is data: a profile of how a third party does OAuth, plus the client registered there.
import type { Profile as ContractProfile } from '../../contract/integrations/profile.ts'
import type { ProviderAbout } from '../../contract/integrations/provider-file.ts'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { Snapshot } from './audit/audit.ts'

export type Scope = Profile['scopes'][number]
export type ClientAuthentication = Profile['clientAuthentication']
export type TokenAnswerQuirks = Profile['tokenAnswer']
/** What revoking one token ends: that token alone, or everything the user granted to this client. */
export type RevocationReach = Profile['revocation']['reach']

export type Profile = Omit<ContractProfile, 'health'> & { health: HealthProfile }

export type HealthProfile = ContractProfile['health'] & { by: 'function' | 'refresh' }

/** A client that a tenant brought for an integration, as far as anybody is told. */
export type OwnClient = {
  integration: string
  clientId: string
  hasSecret: boolean
  createdAt: Date
  updatedAt: Date
}

/** `redirectUri`: where it was registered with one of its own; else it is the integration's. */
export type OAuthClient = { id: string; secret: Secret | undefined; redirectUri?: string | undefined }

/** A tenant's own client is there, but the key that sealed its secret was lost. */
export class ClientUnreadable extends Error {}

/** What the audit keeps of a tenant's own client: which secret it was can be told, and no more. */
export const clientSnapshot = (integration: string, clientId: string, fingerprint: string | undefined): Snapshot => ({
  integration,
  clientId,
  secretFingerprint: fingerprint ?? null,
})

/** `about`: where its profile is from; undefined for one of the deployment's own. */
export type Integration = Profile & { client: OAuthClient | undefined; about?: ProviderAbout | undefined }

/** Whether a refresh token is known to be good for one use: the answer brings the next one. */
export const rotatesRefreshTokens = ({ rotation }: Pick<Profile, 'rotation'>): boolean =>
  rotation === 'replaces' || rotation === 'single_use'

/** Where metadata is discovered, it may name an address; that is seen when a grant is revoked. */
export const offersRevocation = ({
  endpoints,
  revocation: { style, url },
}: Pick<Profile, 'endpoints' | 'revocation'>) => style !== 'none' && (url !== undefined || endpoints === undefined)
