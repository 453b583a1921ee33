export type ApiKey = {
  id: string
  name: string
  tenant: string | undefined
  testMode: boolean
  lastFour: string
  createdAt: Date
  expiresAt: Date | undefined
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
