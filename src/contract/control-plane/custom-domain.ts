import { z } from 'zod'
import { input, plain } from '../resource.ts'

const Spec = z.object({
  region: z.string().max(63).optional(),
  domain: z
    .string()
    .max(253)
    .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain name, in lower case')
    .optional(),
})

export const CustomDomainInput = input(Spec)
export const CustomDomain = plain(Spec)
export type CustomDomain = z.infer<typeof CustomDomain>
