import { z } from 'zod'

type Json = Record<string, unknown>

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

export type SchemaTranslator = (schema: z.ZodType, io: 'input' | 'output') => Json

/** Schemas of the contract as those of the document, each translated once: most are used many times. */
export function schemaTranslator(): { translate: SchemaTranslator; components: Json } {
  const components: Json = {}
  const known = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }
  const translate: SchemaTranslator = (schema, io) => {
    const translated = known[io].get(schema) ?? translation(schema, io, components)
    known[io].set(schema, translated)
    return translated
  }
  return { translate, components }
}

/**
 * What refers to itself gets a name that the whole document knows: a reference inside a schema is read from the root of
 * the document it stands in.
 */
function translation(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const options = { io, unrepresentable: 'any', override: keepDefault } as const
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, options)
  const text = JSON.stringify({ own, $defs })
  if (!text.includes('"$ref"')) return own
  const name = `Schema${Object.keys(components).length + 1}`
  const reference = (inner?: string) => `#/components/schemas/${inner === undefined ? name : `${name}.${inner}`}`
  const renamed: { own: Json; $defs: Json } = JSON.parse(
    text.replaceAll(/"\$ref":"#(?:\/\$defs\/([^"]+))?"/g, (_, inner?: string) => `"$ref":"${reference(inner)}"`),
  )
  components[name] = renamed.own
  for (const [inner, definition] of Object.entries(renamed.$defs)) components[`${name}.${inner}`] = definition
  return { $ref: reference() }
}

/** The translation loses the default of a schema that transforms its input. */
const keepDefault: Override = ({ zodSchema, jsonSchema }) => {
  const { default: usual } = z.globalRegistry.get(zodSchema) ?? {}
  if (usual !== undefined) jsonSchema.default = usual as never
}
