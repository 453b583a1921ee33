import { z } from 'zod'

export const ServiceAccountInput = z.object({
  name: z.string().min(1).max(63),
  description: z.string().max(255).default(''),
  role: z.enum(['admin', 'member']).default('member'),
})
export type ServiceAccountInput = z.infer<typeof ServiceAccountInput>

/** What is left out of an update stays. */
export const ServiceAccountUpdate = z.object({
  name: z.string().min(1).max(63),
  description: z.string().max(255).optional(),
  role: z.enum(['admin', 'member']).optional(),
})
export type ServiceAccountUpdate = z.infer<typeof ServiceAccountUpdate>

/** Clients of other platforms read the names with underscores, so what they need has both. */
export const ServiceAccount = z.object({
  clientId: z.string(),
  client_id: z.string().describe('The same as clientId.'),
  /** Shown once, by the answer that created it. */
  clientSecret: z.string().optional(),
  client_secret: z.string().optional().describe('The same as clientSecret.'),
  name: z.string(),
  description: z.string(),
  role: z.enum(['admin', 'member']),
  workspace: z.string(),
  /** Those of the credential that created it, where it had some: its tokens and keys have no others. */
  scopes: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
  created_at: z.iso.datetime().describe('The same as createdAt.'),
  updatedAt: z.iso.datetime(),
  updated_at: z.iso.datetime().describe('The same as updatedAt.'),
  createdBy: z.string(),
  updatedBy: z.string(),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

/** Ten years. */
export const longestKeySeconds = 315_360_000

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

const inSeconds = (text: string): number => Number.parseInt(text, 10) * (unitSeconds[text.replace(/^\d+/, '')] ?? 1)

const KeySeconds = z.int().min(1).max(longestKeySeconds)

/** Seconds, or a text as clients of other platforms send it. */
const KeyLifetime = z.union(
  [
    KeySeconds,
    z
      .string()
      .regex(/^\d{1,9}[smhdw]?$/)
      .transform(inSeconds)
      .pipe(KeySeconds),
  ],
  { error: 'must be seconds or a duration such as "1h" or "30d", of ten years at most' },
)

/** A misspelled lifetime that is dropped would make a key that never ends, so unknown members are refused. */
export const ApiKeyInput = z
  .strictObject({
    name: z.string().min(1).max(63),
    /** Without it the key does not expire, or in 90 days if it is created with scopes. */
    expiresIn: KeyLifetime.optional(),
    expires_in: KeyLifetime.optional().describe('The same as expiresIn.'),
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
  /** Shown once, by the answer that created it. */
  apiKey: z.string().optional(),
  last4: z.string(),
  /** Those of the credential that created it, where it had some. */
  scopes: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
})
export type ApiKey = z.infer<typeof ApiKey>
