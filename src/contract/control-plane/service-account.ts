import { z } from 'zod'

export const ServiceAccountInput = z.object({
  name: z.string().min(1).max(63),
  description: z.string().max(255).default(''),
  role: z.enum(['admin', 'member']).default('member'),
})
export type ServiceAccountInput = z.infer<typeof ServiceAccountInput>

export const ServiceAccount = z.object({
  clientId: z.string(),
  /** Shown once, by the answer that created it. */
  clientSecret: z.string().optional(),
  name: z.string(),
  description: z.string(),
  role: z.enum(['admin', 'member']),
  workspace: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

const tenYearsInSeconds = 315_360_000

export const ApiKeyInput = z.object({
  name: z.string().min(1).max(63),
  /** Seconds; without it the key does not expire. */
  expiresIn: z.int().min(1).max(tenYearsInSeconds).optional(),
})
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** Shown once, by the answer that created it. */
  apiKey: z.string().optional(),
  last4: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
})
export type ApiKey = z.infer<typeof ApiKey>
