import type { z } from 'zod'

/** Parses stored or sealed JSON. A mismatch is our bug, never invalid input. */
export function stored<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw unreadable(read.error)
}

/** Names the path and the statement, never the value, which may be a secret. */
export function unreadable({ issues }: z.ZodError, statement?: string): Error {
  const places = issues.slice(0, 5).map(({ path, code }) => `${path.join('.')} ${code}`)
  const source = statement ? ` (${statement.trim().replaceAll(/\s+/g, ' ').slice(0, 200)})` : ''
  return new Error(`a stored row cannot be read: ${places.join(', ')}${source}`)
}
