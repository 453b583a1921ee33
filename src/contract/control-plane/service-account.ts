import { z } from 'zod'

export const ServiceAccountInput = z.object({
  name: z.string().min(1).max(63),
  description: z.string().max(255).default(''),
  role: z.enum(['admin', 'member']).default('member'),
})
export type ServiceAccountInput = z.infer<typeof ServiceAccountInput>

/** Omitted members are not changed. */
export const ServiceAccountUpdate = z.object({
  name: z.string().min(1).max(63),
  description: z.string().max(255).optional(),
  role: z.enum(['admin', 'member']).optional(),
})
export type ServiceAccountUpdate = z.infer<typeof ServiceAccountUpdate>

export const ServiceAccount = z.object({
  clientId: z.string(),
  client_id: z.string().describe('Same as clientId.'),
  /** Returned once, on creation. */
  clientSecret: z.string().optional(),
  client_secret: z.string().optional().describe('Same as clientSecret.'),
  name: z.string(),
  description: z.string(),
  role: z.enum(['admin', 'member']),
  workspace: z.string(),
  /** Inherited from the creating credential if it was scoped. They limit the account's tokens and keys. */
  scopes: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
  created_at: z.iso.datetime().describe('Same as createdAt.'),
  updatedAt: z.iso.datetime(),
  updated_at: z.iso.datetime().describe('Same as updatedAt.'),
  createdBy: z.string(),
  updatedBy: z.string(),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

export const maxKeySeconds = 315_360_000

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

const inSeconds = (text: string): number => Number.parseInt(text, 10) * (unitSeconds[text.replace(/^\d+/, '')] ?? 1)

const KeySeconds = z.int().min(1).max(maxKeySeconds)

/** Seconds, or a duration string from clients of other platforms. */
const KeyLifetime = z.union(
  [
    KeySeconds,
    z
      .string()
      .regex(/^\d{1,9}[smhdw]?$/)
      .transform(inSeconds)
      .pipe(KeySeconds),
  ],
  { error: 'must be seconds or a duration such as "1h" or "30d", at most ten years' },
)

/** Strict: dropping a misspelled lifetime would create a key that never expires. */
export const ApiKeyInput = z
  .strictObject({
    name: z.string().min(1).max(63),
    /** Without it, unscoped keys never expire and scoped keys expire in 90 days. */
    expiresIn: KeyLifetime.optional(),
    expires_in: KeyLifetime.optional().describe('Same as expiresIn.'),
  })
  .refine(({ expiresIn, expires_in }) => expiresIn === undefined || (expires_in ?? expiresIn) === expiresIn, {
    path: ['expires_in'],
    error: 'differs from expiresIn',
  })
  .transform(({ name, expiresIn, expires_in }) => ({ name, expiresIn: expiresIn ?? expires_in }))
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  apiKey: z.string().optional(),
  last4: z.string(),
  scopes: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  /** Up to a minute behind. Absent: never used. */
  lastUsedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime().optional(),
})
export type ApiKey = z.infer<typeof ApiKey>
