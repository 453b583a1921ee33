import { z } from 'zod'

/** At most so many characters, as people and JSON Schema count them: one outside the basic plane is one, not two. */
export const characters = (most: number) =>
  z
    .string()
    .refine((text) => text.length <= most || [...text].length <= most, `must have at most ${most} characters`)
    .meta({ maxLength: most })
