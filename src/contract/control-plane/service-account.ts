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

/** Ten years. */
export const longestKeySeconds = 315_360_000

export const ApiKeyInput = z.object({
  name: z.string().min(1).max(63),
  /** Seconds; without it the key does not expire. */
  expiresIn: z.int().min(1).max(longestKeySeconds).optional(),
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
