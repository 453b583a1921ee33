import type { z } from 'zod'

/** What the database gave, as the program knows it. A row that does not fit is our fault, and never the caller's input. */
export function stored<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const places = read.error.issues.map(({ path, code }) => `${path.join('.')} ${code}`)
  throw new Error(`a stored row cannot be read: ${places.slice(0, 5).join(', ')}`)
}
