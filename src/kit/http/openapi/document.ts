// The OpenAPI 3.1 document, made from the routes themselves, so that it cannot say anything else than they do.
import type { z } from 'zod'
import type { DocumentParts, HeaderDescriptions } from './document-parts.ts'
import { operationIdOf, type RouteDescription } from './route-description.ts'

/** What holds for a route because of where it stands: the rules of a program, or of a part of it. */
export type RouteRules = {
  servers?: readonly object[]
  security?: readonly object[]
  query?: z.ZodType
  requestHeaders?: HeaderDescriptions
  responseHeaders?: HeaderDescriptions
  /** Forms in which the body is taken, and the answer given, beside JSON. */
  bodyTypes?: readonly string[]
  answerTypes?: readonly string[]
  /** Bad answers by status, or `default`. */
  problems: Record<string, object>
}

export type DescribedRoute = readonly [route: RouteDescription, rules: RouteRules]

type About = {
  info: { title: string; version: string; description?: string }
  servers: ReadonlyArray<{ url: string }>
  security: readonly object[]
  securitySchemes: Record<string, object>
  /** Schemas and responses that the program itself refers to by name. */
  components?: { schemas?: object; responses?: object }
  webhooks?: Record<string, object>
}

export type OpenApiDocument = ReturnType<typeof describeApi>

export function describeApi(parts: DocumentParts, routes: readonly DescribedRoute[], about: About) {
  const { info, servers, security, securitySchemes, components, webhooks } = about
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, rules] of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(parts, route, rules) }
  }
  const tags = [...new Set(routes.flatMap(([{ tag }]) => tag ?? []))].map((name) => ({ name }))
  const { headers, schemas } = parts.components
  return {
    openapi: '3.1.0',
    info,
    servers,
    security,
    tags,
    paths,
    ...(webhooks && { webhooks }),
    components: {
      securitySchemes,
      headers,
      responses: components?.responses ?? {},
      schemas: { ...components?.schemas, ...schemas },
    },
  }
}

function operation(parts: DocumentParts, route: RouteDescription, rules: RouteRules) {
  const { summary, description, tag, path, params, query, body } = route
  const answers = Object.entries(route.answers).map(([status, schema]) => [
    status,
    answer(parts, status, schema, rules),
  ])
  return {
    ...(rules.servers && { servers: rules.servers }),
    operationId: operationIdOf(route),
    summary,
    ...(description && { description }),
    ...(tag && { tags: [tag] }),
    ...(rules.security && { security: rules.security }),
    parameters: [
      ...(params ? parts.parameters('path', params) : textsIn(path)),
      ...parts.parameters('query', query),
      ...parts.parameters('query', rules.query),
      ...parts.requestHeaders(rules.requestHeaders ?? {}),
    ],
    ...(body && { requestBody: requestBody(parts, body, route, rules) }),
    responses: { ...Object.fromEntries(answers), ...rules.problems },
  }
}

const textsIn = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

function requestBody(parts: DocumentParts, body: z.ZodType, { bodyOptional }: RouteDescription, rules: RouteRules) {
  const taken = parts.json(body, 'input')
  const types = ['application/json', ...(rules.bodyTypes ?? [])]
  return { required: !bodyOptional, content: Object.fromEntries(types.map((type) => [type, taken])) }
}

const statusWords: Record<string, string> = { 201: 'Created.', 202: 'Accepted.', 303: 'The browser goes on.' }

function answer(parts: DocumentParts, status: string, schema: z.ZodType | undefined, rules: RouteRules) {
  const { answerTypes = [], responseHeaders } = rules
  const other = Object.fromEntries(answerTypes.map((type) => [type, { schema: { type: 'string' } }]))
  return {
    description: statusWords[status] ?? 'Done.',
    ...(responseHeaders && { headers: parts.responseHeaders(responseHeaders) }),
    ...(schema && { content: { 'application/json': parts.json(schema, 'output'), ...other } }),
  }
}
