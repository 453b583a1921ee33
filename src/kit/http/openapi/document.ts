import type { z } from 'zod'
import { atOnce, type Steps } from '../../cache/slices.ts'
import type { DocumentParts, HeaderDescriptions } from './document-parts.ts'
import { operationIdOf, type RouteDescription } from './route-description.ts'

/** Rules that a program, or one of its areas, adds to a route. */
export type RouteRules = {
  servers?: readonly object[]
  security?: readonly object[]
  query?: z.ZodType
  requestHeaders?: HeaderDescriptions
  responseHeaders?: HeaderDescriptions
  /** Media types of request and response beside JSON. */
  bodyTypes?: readonly string[]
  answerTypes?: readonly string[]
  /** Error responses by status, or `default`. */
  problems: Record<string, object>
}

export type DescribedRoute = readonly [route: RouteDescription, rules: RouteRules]

type Tag = { name: string; description: string }

type About = {
  info: {
    title: string
    version: string
    description: string
    contact: { name: string; url: string }
    license: { name: string; identifier: string }
  }
  servers: ReadonlyArray<{ url: string }>
  /** In display order. Unused tags are left out. */
  tags: readonly Tag[]
  security: readonly object[]
  securitySchemes: Record<string, object>
  /** Schemas and responses that the program refers to by name. */
  components?: { schemas?: object; responses?: object }
  webhooks?: Record<string, object>
}

export type OpenApiDocument = ReturnType<typeof describeApi>

export const describeApi = (parts: DocumentParts, routes: readonly DescribedRoute[], about: About) =>
  atOnce(describeApiInSteps(parts, routes, about))

export function* describeApiInSteps(parts: DocumentParts, routes: Iterable<DescribedRoute>, about: About) {
  const { info, servers, security, securitySchemes, components, webhooks } = about
  const described = yield* translateAnswersFirst(parts, routes)
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, rules] of described) {
    yield
    paths[route.path] = { ...paths[route.path], [route.method]: operation(parts, route, rules) }
  }
  const tags = about.tags.filter(({ name }) => described.some(([{ tag }]) => tag === name))
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

/** If a schema differs between request and response, the response gets the plain name. */
function* translateAnswersFirst(
  { translate }: DocumentParts,
  routes: Iterable<DescribedRoute>,
): Steps<DescribedRoute[]> {
  const described: DescribedRoute[] = []
  for (const route of routes) {
    for (const schema of Object.values(route[0].answers)) if (schema) translate(schema, 'output')
    described.push(route)
    yield
  }
  return described
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

/** For responses without a schema. */
const statusWords: Record<string, string> = { 202: 'Accepted.', 204: 'No content.', 303: 'The browser goes on.' }

const nameIn = ({ nameOf }: DocumentParts, schema: z.ZodType | undefined) => {
  const name = schema && nameOf(schema)
  return name && `The ${name}.`
}

function answer(parts: DocumentParts, status: string, schema: z.ZodType | undefined, rules: RouteRules) {
  const { answerTypes = [], responseHeaders } = rules
  const other = Object.fromEntries(answerTypes.map((type) => [type, { schema: { type: 'string' } }]))
  return {
    description: schema?.description ?? nameIn(parts, schema) ?? statusWords[status] ?? 'Done.',
    ...(responseHeaders && { headers: parts.responseHeaders(responseHeaders) }),
    ...(schema && { content: { 'application/json': parts.json(schema, 'output'), ...other } }),
  }
}
