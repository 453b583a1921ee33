// Arguments sent in headers (2026-07-28, Streamable HTTP, "Schema Extension"): clients must omit tools that declare
// them incorrectly.
import type { JsonObject } from './vendor-mcp.ts'

const declaration = 'x-mcp-header'

/** RFC 9110, section 5.1. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])

const data = new Set(['default', 'const', 'enum', 'examples'])

/** `isArgument`: reached only through `properties`. Only such arguments may be sent in headers. */
type Part = { schema: unknown; isArgument: boolean; isTop: boolean }

/** A loop, because the vendor chooses the depth of the schema. */
export function declaresSoundHeaders(inputSchema: JsonObject): boolean {
  const taken = new Set<string>()
  const waiting: Part[] = [{ schema: inputSchema, isArgument: true, isTop: true }]
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const { schema } = part
    if (typeof schema !== 'object' || schema === null) continue
    if (declaration in schema && !isSound(part, schema as JsonObject, taken)) return false
    for (const inner of partsOf(schema, part.isArgument)) waiting.push(inner)
  }
  return true
}

function isSound({ isArgument, isTop }: Part, schema: JsonObject, taken: Set<string>): boolean {
  const name = schema[declaration]
  if (!isArgument || isTop || typeof name !== 'string' || !token.test(name) || !types.has(schema.type)) return false
  const known = taken.size
  return taken.add(name.toLowerCase()).size > known
}

function partsOf(schema: object, isArgument: boolean): Part[] {
  if (Array.isArray(schema)) return schema.map((inner) => ({ schema: inner, isArgument: false, isTop: false }))
  return Object.entries(schema).flatMap(([word, value]): Part[] => {
    if (data.has(word)) return []
    const isMap = maps.has(word) && typeof value === 'object' && value !== null
    const inner = isMap ? Object.values(value) : [value]
    return inner.map((each) => ({ schema: each, isArgument: isArgument && word === 'properties', isTop: false }))
  })
}
