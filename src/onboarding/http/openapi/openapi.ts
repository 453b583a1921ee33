// The OpenAPI 3.1 document, made from the routes themselves.
import { z } from 'zod'
import type { ApiRoute } from '../route.ts'
import { ProblemAnswer } from '../schemas.ts'
import { headerComponents, headersOf } from './openapi-headers.ts'
import { anyProblem, problemComponents, problemsOf } from './openapi-problems.ts'

export function openApiDocument(routes: readonly ApiRoute[], publicUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Causeway', version: '1', description: 'Link third-party accounts to tenants.' },
    servers: [{ url: `${publicUrl}/api/v1` }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: cwk_…' } },
      headers: headerComponents,
      responses: problemComponents,
      schemas: { Problem: json(ProblemAnswer, 'output') },
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>

function operation(route: ApiRoute) {
  const answers = Object.entries(route.answers).map(([status, schema]) => [status, goodAnswer(schema, route)])
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...parameters('path', route.params), ...parameters('query', route.query), ...idempotencyKey(route)],
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse({}).success,
        content: { 'application/json': { schema: json(route.body, 'input') } },
      },
    }),
    responses: { ...Object.fromEntries(answers), ...problemsOf(route), default: anyProblem },
  }
}

const goodAnswer = (schema: z.ZodType | undefined, { csv, method }: ApiRoute) => ({
  description: 'Done.',
  headers: headersOf('X-Request-Id', ...(method === 'post' ? (['Idempotency-Replayed'] as const) : [])),
  ...(schema && {
    content: {
      'application/json': { schema: json(schema, 'output') },
      ...(csv && { 'text/csv': { schema: { type: 'string' } } }),
    },
  }),
})

function parameters(place: 'path' | 'query', schema: z.ZodObject) {
  return Object.entries(schema.shape).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path' || !(type as z.ZodType).safeParse(undefined).success,
    schema: json(type as z.ZodType, 'input'),
  }))
}

const idempotencyKey = ({ method }: ApiRoute) =>
  method !== 'post'
    ? []
    : [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'The same key gets the same answer for a day. A connect session, re-link session, webhook, campaign, roll back or disconnect is made once, also when a process dies on it; what changes a secret may then make a further one.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      ]

function json(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
