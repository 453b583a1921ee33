import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** `input` is written by the reader of the document, `output` is received. */
export type Direction = 'input' | 'output'

type SchemaTranslator = (schema: z.ZodType, io: Direction) => JsonSchema

/** If input and output of a schema differ, translate the output first: the input gets the suffix `Request`. */
export function schemaTranslator(names: SchemaNames) {
  const metadata = new NamedSchemas(names)
  const components: JsonSchema = {}
  const known = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() }
  const answered: JsonSchema = {}
  const translate: SchemaTranslator = (schema, io) => {
    const translated = known[io].get(schema) ?? translation(schema, io)
    known[io].set(schema, translated)
    return translated
  }
  function translation(schema: z.ZodType, io: Direction): JsonSchema {
    const {
      $schema: _dialect,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', override })
    if (io === 'output') Object.assign(answered, $defs)
    const isOther = io === 'input' ? namesThatDiffer($defs, answered) : new Set<string>()
    const nameOf = (id: string) => (isOther.has(id) ? `${id}Request` : id)
    for (const [id, definition] of Object.entries($defs)) name(nameOf(id), referring(definition, nameOf))
    return referring(own, nameOf)
  }
  function name(id: string, definition: JsonSchema) {
    if (!/^[A-Z]\w+$/.test(id)) throw new Error(unnamed)
    const taken = components[id]
    components[id] ??= definition
    if (taken && JSON.stringify(taken) !== JSON.stringify(definition)) throw new Error(`Two schemas are named ${id}.`)
  }
  return { translate, components, nameOf: (schema: z.ZodType) => metadata.get(schema)?.id }
}

export type SchemaNames = ReadonlyMap<z.ZodType, string>

class NamedSchemas extends z.core.$ZodRegistry<z.GlobalMeta> {
  constructor(private readonly names: SchemaNames) {
    super()
  }

  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.GlobalMeta, S> | undefined {
    const meta = z.globalRegistry.get(schema)
    const id = this.names.get(schema as unknown as z.ZodType)
    return id === undefined ? meta : { ...meta, id }
  }
}

export const exampleOf = (schema: z.ZodType): unknown => (schema.meta()?.examples as unknown[] | undefined)?.[0]

/** Definitions that differ between input and output, also through a reference. */
function namesThatDiffer(asked: JsonSchema, answered: JsonSchema): Set<string> {
  const differs = new Set(
    Object.keys(asked).filter((id) => id in answered && JSON.stringify(asked[id]) !== JSON.stringify(answered[id])),
  )
  const refersToSuch = (id: string) => referencesIn(asked[id]).some((other) => differs.has(other))
  for (let size = -1; size !== differs.size; ) {
    size = differs.size
    for (const id of Object.keys(asked)) if (id in answered && refersToSuch(id)) differs.add(id)
  }
  return differs
}

const reference = /"\$ref":"#\/\$defs\/([^"]+)"/g

const referencesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(reference)].map(([, id = '']) => id)

/** References are relative to the root of the document. */
function referring(schema: unknown, nameOf: (id: string) => string): JsonSchema {
  const text = JSON.stringify(schema)
  if (text.includes('"$ref":"#"')) throw new Error(unnamed)
  return JSON.parse(text.replaceAll(reference, (_, id: string) => `"$ref":"#/components/schemas/${nameOf(id)}"`))
}

const unnamed = 'A schema that refers to itself needs an `id` in its meta.'

/** A record with a closed list of keys becomes an object with these members, which more tools understand. */
function nameMembers(record: z.core.JSONSchema.BaseSchema) {
  const { required, additionalProperties: member } = record
  if (!required || typeof member !== 'object') return
  record.properties = Object.fromEntries(required.map((name) => [name, member]))
  record.additionalProperties = false
  delete record.propertyNames
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

const override: Override = ({ zodSchema, jsonSchema }) => {
  // The translation loses the default of a schema with a transform.
  const { default: usual } = z.globalRegistry.get(zodSchema) ?? {}
  if (usual !== undefined) jsonSchema.default = usual as never
  if (zodSchema._zod.def.type === 'record') nameMembers(jsonSchema)
  // Examples belong beside the schema in OpenAPI.
  delete jsonSchema.examples
  // The format is enough. The pattern that Zod adds would be the longest part of the document.
  if (['date-time', 'date', 'email'].includes(String(jsonSchema.format))) delete jsonSchema.pattern
}
