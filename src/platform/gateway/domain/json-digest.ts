import { createHash } from 'node:crypto'

/** The same for values that differ only in the order of members. */
export const jsonDigest = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')

/** RFC 8785, reduced to sorted members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  // 1e999 is parsed as Infinity. JSON has null for it, a form body does not.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}
