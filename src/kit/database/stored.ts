import type { z } from 'zod'

/** What was kept as JSON or sealed, as the program knows it. What does not fit is our fault, and never the caller's input. */
export function stored<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw unreadable(read.error)
}

/** Names the place, and the statement if there is one, but no value: it may be somebody's secret. */
export function unreadable({ issues }: z.ZodError, statement?: string): Error {
  const places = issues.slice(0, 5).map(({ path, code }) => `${path.join('.')} ${code}`)
  const source = statement ? ` (${statement.trim().replaceAll(/\s+/g, ' ').slice(0, 200)})` : ''
  return new Error(`a stored row cannot be read: ${places.join(', ')}${source}`)
}
