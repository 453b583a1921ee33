import type { JsonSchema } from './schema-translator.ts'

type Document = { components: { schemas: object } }

const prefix = '#/components/schemas/'

/** Replaces references by their schemas. A recursive schema stays a reference. */
export function inlineSchemas<T>(document: Document, part: T): T {
  const schemas = document.components.schemas as Record<string, JsonSchema>
  const written = (value: unknown, around: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => written(item, around))
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as JsonSchema
    const name = typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined
    if (name === undefined || around.includes(name)) return members(value, around)
    // Members beside a reference override the schema.
    return { ...members(schemas[name] ?? {}, [...around, name]), ...members(rest, around) }
  }
  const members = (value: object, around: readonly string[]) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member, around)]))
  return written(part, []) as T
}
