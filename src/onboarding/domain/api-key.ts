// A key of the API: of one tenant, or of the deployment, which may act for all of them.

export type ApiKey = {
  id: string
  name: string
  /** Undefined: a key of the deployment. */
  tenant: string | undefined
  testMode: boolean
  lastFour: string
  createdAt: Date
  /** Undefined: it never expires. */
  expiresAt: Date | undefined
  /** To the minute. Undefined: it was never used. */
  lastUsedAt: Date | undefined
  revokedAt: Date | undefined
}

export type ApiKeyStatus = 'active' | 'expired' | 'revoked'

export function apiKeyStatus(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyStatus {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= now ? 'expired' : 'active'
}
