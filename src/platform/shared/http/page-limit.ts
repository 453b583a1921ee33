import { z } from 'zod'

/** Text that counts: `Number` alone would also take an empty text, hexadecimals and exponents. More is cut to the most. */
export const pageLimit = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((limit) => limit >= 1, 'must be at least 1')
    .transform((limit) => Math.min(limit, most))
