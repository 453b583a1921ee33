/** `settings`: changes settings and nothing else. Without a purpose a key is for the rest of the API. */
export const keyPurposes = ['settings'] as const
export type KeyPurpose = (typeof keyPurposes)[number]

export type ApiKey = {
  id: string
  name: string
  tenant: string | undefined
  testMode: boolean
  purpose: KeyPurpose | undefined
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
