import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type Direction, exampleOf, type JsonSchema, type SchemaNames, schemaTranslator } from './schema-translator.ts'

export type HeaderDescriptions = Record<string, { schema: z.ZodType; description?: string; required?: boolean }>

export type DocumentParts = ReturnType<typeof documentParts>

/** Builds the parts of operations. Shared parts are in `components`. */
export function documentParts(names: SchemaNames = new Map()) {
  const { translate, nameOf, components: schemas } = schemaTranslator(names)
  const headers: Record<string, object> = {}
  return {
    components: { headers, schemas },
    translate,

    /** The component name of a schema; undefined for an inline schema. */
    nameOf,

    json: (schema: z.ZodType, io: Direction) => ({ schema: translate(schema, io), example: exampleOf(schema) }),

    parameters: (location: 'path' | 'query', schema: z.ZodType | undefined) =>
      schema ? parametersOf(location, translate(schema, 'input')) : [],

    requestHeaders: (described: HeaderDescriptions) =>
      Object.entries(described).map(([name, { schema, description, required = false }]) => ({
        name,
        in: 'header',
        required,
        ...(description && { description }),
        schema: translate(schema, 'input'),
      })),

    responseHeaders: (described: HeaderDescriptions) =>
      Object.fromEntries(
        Object.entries(described).map(([name, { schema, ...rest }]) => {
          const header = { ...rest, schema: translate(schema, 'input') } // as sent, before parsing
          headers[name] ??= header
          const isShared = isDeepStrictEqual(headers[name], header)
          return [name, isShared ? { $ref: `#/components/headers/${name}` } : header]
        }),
      ),
  }
}

function parametersOf(location: 'path' | 'query', { properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: location === 'path' || (required as string[]).includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}
