import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { inlineSchemas } from '../../../kit/http/openapi/inline-schemas.ts'
import { causeCodes, explain } from '../../domain/cause.ts'
import { failures } from '../../domain/failure.ts'

export type Schema = {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters: Array<{ name: string; in: string; required: boolean; description?: string; schema: Schema }>
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema: Schema }> }>
}

export const docsNav = (current: '/docs' | '/docs/guides') =>
  [
    { href: '/docs/guides', label: 'Guides' },
    { href: '/docs', label: 'API reference' },
    { href: '/openapi.json', label: 'OpenAPI document' },
  ].map((entry) => ({ ...entry, current: entry.href === current }))

export function docsLocals(document: OpenApiDocument) {
  const operations = Object.entries(inlineSchemas(document, document.paths)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation as Operation)),
  )
  return {
    title: 'API',
    nav: docsNav('/docs'),
    server: document.servers[0]?.url ?? '',
    groups: document.tags.map(({ name }) => ({ name, operations: operations.filter(({ tag }) => tag === name) })),
    causes: causeCodes.map(explain),
    failures: Object.entries(failures).map(([code, { status, explanation }]) => ({
      code,
      status,
      explanation: partsOf(explanation),
    })),
  }
}

/** Splits at backticks: text and code alternate. */
const partsOf = (text: string) => text.split('`').map((part, position) => ({ text: part, isCode: position % 2 === 1 }))

function describe(path: string, method: string, operation: Operation) {
  const body = operation.requestBody?.content['application/json'].schema
  return {
    id: operation.operationId,
    tag: operation.tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: partsOf(operation.description ?? ''),
    parameters: [
      ...operation.parameters.map(({ name, in: location, required, description, schema }) => ({
        name,
        where: location,
        type: typeOf(schema),
        required,
        description: description ?? schema.description ?? '',
      })),
      ...(body ? rows(body, 'body') : []),
    ],
    // Common errors are listed at the end of the page.
    errors: Object.entries(operation.responses)
      .filter(([status, { $ref }]) => Number(status) >= 400 && !$ref)
      .map(([status, { description }]) => ({ status, codes: description ?? '' })),
    responses: Object.entries(operation.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { content }]) => ({
        status,
        rows: content ? rows(content['application/json']?.schema ?? {}, '') : [],
      })),
  }
}

type Row = { name: string; where: string; type: string; required: boolean; description: string }

export function rows(schema: Schema, where: string, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = member.properties ? member : member.items?.properties ? member.items : undefined
    const path = `${prefix}${name}`
    const row = {
      name: path,
      where,
      type: typeOf(member),
      required: schema.required?.includes(name) ?? false,
      description: member.description ?? '',
    }
    return [row, ...(inner ? rows(inner, where, `${path}${member.items ? '[]' : ''}.`) : [])]
  })
}

function typeOf({ type, format, enum: values, items }: Schema): string {
  if (values) return values.join(' | ')
  if (type === 'array') return `list of ${typeOf(items ?? {})}`
  return [type ?? 'any', format].filter(Boolean).join(', ')
}
