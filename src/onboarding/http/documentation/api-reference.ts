import type { Steps } from '../../../kit/cache/slices.ts'
import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { inlineSchemas } from '../../../kit/http/openapi/inline-schemas.ts'
import { type CodeSample, codeBlock, codeTabs } from '../../../kit/markdown/code-blocks.ts'
import { codeSamples } from '../openapi/code-samples.ts'
import { apiTags } from '../openapi/openapi.ts'
import { ownProblems } from '../openapi/openapi-problems.ts'
import type { ApiRoute } from '../route.ts'

export type Schema = {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  items?: Schema
}

type Content = Record<string, { schema: Schema; example?: unknown }>

type Operation = {
  description?: string
  parameters: Array<{ name: string; in: string; required: boolean; description?: string; schema: Schema }>
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

/** Code and other text alternate. */
type Words = Array<{ text: string; isCode: boolean }>

type Field = { name: string; type: string; required: boolean; about: Words; fields: Field[] }

type ApiCall = { id: string; method: string; path: string; summary: string; description: string }

export type DescribedCall = ApiCall & {
  about: Words
  fieldGroups: Array<{ title: string; fields: Field[] }>
  responseFields: Field[]
  errors: Array<{ status: string; codes: string[] }>
  samples: string
  responses: Array<{ status: string; html: string }>
}

export type ApiGroup = { address: string; title: string; about: string; calls: ApiCall[] }

/** One group per tag. */
export const apiGroups = (routes: readonly ApiRoute[]): ApiGroup[] =>
  apiTags.map(({ name, description }) => ({
    address: `/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`,
    title: name,
    about: description,
    calls: routes.filter(({ tag }) => tag === name).map(callOf),
  }))

const callOf = ({ operationId, method, path, summary, description = '' }: ApiRoute): ApiCall => ({
  id: operationId,
  method: method.toUpperCase(),
  path,
  summary,
  description,
})

export function* describeCalls(
  document: OpenApiDocument,
  routes: readonly ApiRoute[],
  { title }: ApiGroup,
): Steps<DescribedCall[]> {
  const described: DescribedCall[] = []
  for (const route of routes.filter(({ tag }) => tag === title)) {
    described.push(describeCall(document, route))
    yield
  }
  return described
}

function describeCall(document: OpenApiDocument, route: ApiRoute): DescribedCall {
  const operation = inlineSchemas(document, document.paths[route.path]?.[route.method]) as Operation
  const { description = '', parameters, requestBody, responses } = operation
  const body = requestBody?.content['application/json']
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const [, answer] = answers[0] ?? []
  return {
    ...callOf(route),
    about: wordsOf(description),
    fieldGroups: [
      { title: 'Path parameters', fields: parametersIn('path', parameters) },
      { title: 'Query parameters', fields: parametersIn('query', parameters) },
      { title: 'Body', fields: fieldsOf(body?.schema ?? {}) },
      { title: 'Headers', fields: parametersIn('header', parameters) },
    ].filter(({ fields }) => fields.length > 0),
    responseFields: fieldsOf(answer?.content?.['application/json']?.schema ?? {}),
    errors: ownErrors(route),
    samples: codeTabs(route.operationId, codeSamples(route, body?.example)),
    responses: answers.map(([status, { content }]) => ({ status, html: responseExample(status, content) })),
  }
}

const parametersIn = (location: string, parameters: Operation['parameters']): Field[] =>
  parameters
    .filter((each) => each.in === location)
    .map(({ name, required, description, schema }) => ({
      name,
      type: typeOf(schema),
      required,
      about: wordsOf(description ?? schema.description ?? ''),
      fields: [],
    }))

/** Errors that every call can return are on the introduction. */
const ownErrors = (route: ApiRoute) => Object.entries(ownProblems(route)).map(([status, codes]) => ({ status, codes }))

function responseExample(status: string, content: Content | undefined): string {
  const example = content?.['application/json']?.example
  const sample: CodeSample =
    example === undefined
      ? { language: 'text', code: 'No body.', title: `Response ${status}` }
      : { language: 'json', code: JSON.stringify(example, null, 2), title: `Response ${status}` }
  return codeBlock(sample)
}

const wordsOf = (text: string): Words =>
  text.split('`').map((part, position) => ({ text: part, isCode: position % 2 === 1 }))

const fieldsOf = (schema: Schema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    type: typeOf(member),
    required: schema.required?.includes(name) ?? false,
    about: wordsOf(member.description ?? ''),
    fields: fieldsOf(member.properties ? member : (member.items ?? {})),
  }))

export function typeOf({ type, format, enum: values, const: only, items }: Schema): string {
  if (values) return values.join(' | ')
  if (only !== undefined) return String(only)
  if (type === 'array') return `list of ${typeOf(items ?? {})}`
  return [type ?? 'any', format].filter(Boolean).join(', ')
}
