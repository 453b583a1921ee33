// What queries have in common. Parameters that a query does not know are dropped.
import { z } from 'zod'

/** Exactly `true` says yes. Anything else says no, as leaving it out does: nobody is refused for a flag. */
export const Flag = z
  .unknown()
  .optional()
  .transform((given) => given === 'true')
  .meta({ type: 'boolean' })

/** From an earlier answer; only the server that made it can read it. */
export const Cursor = z.string().max(2_048)

/**
 * Text that counts: `Number` alone would also take an empty text, hexadecimals and exponents. More is cut to the most.
 * Described as the number it is; a pattern of the text would tell clients to send something else.
 */
export const pageLimit = (most: number, usual: number) =>
  z
    .string()
    .refine((text) => /^[0-9]+$/.test(text), 'must be a whole number')
    .transform(Number)
    .refine((limit) => limit >= 1, 'must be at least 1')
    .transform((limit) => Math.min(limit, most))
    .meta({ type: 'integer', minimum: 1, maximum: most, default: usual, description: `More is taken for ${most}.` })
    .default(usual)
