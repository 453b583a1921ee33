import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** Who reads the schema writes what it describes (`input`), or is given it (`output`). */
export type Direction = 'input' | 'output'

export type SchemaTranslator = (schema: z.ZodType, io: Direction) => JsonSchema

/** Schemas of routes as those of the document, each translated once: many are used more than once. */
export function schemaTranslator(): { translate: SchemaTranslator; components: JsonSchema } {
  const components: JsonSchema = {}
  const known = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() }
  const translate: SchemaTranslator = (schema, io) => {
    const translated = known[io].get(schema) ?? translation(schema, io, components)
    known[io].set(schema, translated)
    return translated
  }
  return { translate, components }
}

/** Written beside the schema: one example of the whole, or undefined. */
export const exampleOf = (schema: z.ZodType): unknown => (schema.meta()?.examples as unknown[] | undefined)?.[0]

/**
 * What refers to itself gets a name that the whole document knows: a reference inside a schema is read from the root of
 * the document it stands in.
 */
function translation(schema: z.ZodType, io: Direction, components: JsonSchema): JsonSchema {
  const options = { io, unrepresentable: 'any', override } as const
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, options)
  const text = JSON.stringify({ own, $defs })
  if (!text.includes('"$ref"')) return own
  const name = `Schema${Object.keys(components).length + 1}`
  const reference = (inner?: string) => `#/components/schemas/${inner === undefined ? name : `${name}.${inner}`}`
  const renamed: { own: JsonSchema; $defs: JsonSchema } = JSON.parse(
    text.replaceAll(/"\$ref":"#(?:\/\$defs\/([^"]+))?"/g, (_, inner?: string) => `"$ref":"${reference(inner)}"`),
  )
  components[name] = renamed.own
  for (const [inner, definition] of Object.entries(renamed.$defs)) components[`${name}.${inner}`] = definition
  return { $ref: reference() }
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

const override: Override = ({ zodSchema, jsonSchema }) => {
  // The translation loses the default of a schema that transforms its input.
  const { default: usual } = z.globalRegistry.get(zodSchema) ?? {}
  if (usual !== undefined) jsonSchema.default = usual as never
  // Examples stand beside a schema, where tools look for them.
  delete jsonSchema.examples
}
