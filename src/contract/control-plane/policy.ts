import { z } from 'zod'
import { input, noted } from '../resource.ts'

const Named = z.object({ name: z.string().max(63), type: z.string().max(63).optional() })
const Tokens = z.int().min(0).max(1_000_000_000_000)

const Spec = z.object({
  type: z.enum(['location', 'flavor', 'maxToken']),
  resourceTypes: z.array(z.string().max(63)).max(20).default([]),
  locations: z.array(Named).max(100).optional(),
  flavors: z.array(Named).max(100).optional(),
  maxTokens: z
    .object({
      granularity: z.string().max(63).optional(),
      step: z.int().min(1).optional(),
      input: Tokens.optional(),
      output: Tokens.optional(),
      total: Tokens.optional(),
    })
    .optional(),
})

export const PolicyInput = input(Spec)
export const Policy = noted(Spec)
export type Policy = z.infer<typeof Policy>
