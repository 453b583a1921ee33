import { z } from 'zod'

/** Only `true` is true. Other values are false and never rejected. */
export const Flag = z
  .unknown()
  .optional()
  .transform((given) => given === 'true')
  .meta({ type: 'boolean' })

export const Cursor = z.string().max(2_048)

/** `Number` would also accept an empty string, hexadecimal and exponents. Described as an integer, not as a pattern. */
export const pageLimit = (max: number, byDefault: number) =>
  z
    .string()
    .refine((text) => /^[0-9]+$/.test(text), 'must be a whole number')
    .transform(Number)
    .refine((limit) => limit >= 1, 'must be at least 1')
    .transform((limit) => Math.min(limit, max))
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: byDefault,
      description: `Values above ${max} are treated as ${max}.`,
    })
    .default(byDefault)
