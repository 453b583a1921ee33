import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { apiVersions, defaultApiVersion } from '../../../contract/api-version.ts'
import { ControlPlaneError } from '../../../contract/error-bodies.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { allScopes } from '../../../contract/scopes.ts'
import { once } from '../../../kit/once.ts'
import type { Operation } from './operation.ts'

type About = { publicUrl: string; headers: BrandedHeaders }

/** The document is the same for everybody and says nothing that this repository does not. */
export function openapiRoutes(operations: readonly Operation[], about: About): Router {
  const document = once(() => openapiDocument(operations, about))
  const send: RequestHandler = (_req, res) => void res.json(document())
  return Router().get('/openapi.json', send).get('/v0/openapi.json', send)
}

/** Made from the schemas that check requests, so it cannot say anything else than they do. */
export function openapiDocument(operations: readonly Operation[], { publicUrl, headers }: About) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describe(operation, headers) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Workload platform', version: apiVersions.at(-1) },
    servers: [{ url: `${publicUrl}/v0` }],
    security: [{ oauth: ['admin'] }, { apiKey: [] }],
    paths,
    components: { securitySchemes: securitySchemes(publicUrl) },
  }
}

function describe(operation: Operation, headers: BrandedHeaders) {
  const { method, path, scope, summary, schemas } = operation
  return {
    operationId: `${method}${path.replace(/(?<![:/_])[:/_]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: operation.adminOnly ? `${summary} (workspace admins)` : summary,
    security: [{ oauth: [scope] }, { apiKey: [] }],
    parameters: [...pathParameters(path), ...queryParameters(schemas.query), ...headerParameters(operation, headers)],
    ...(schemas.body && { requestBody: { required: true, content: json(schemas.body, 'input') } }),
    responses: {
      200: { description: 'Done.', content: json(schemas.answer, 'output') },
      default: { description: 'Refused, with the reason.', content: json(ControlPlaneError, 'output') },
    },
  }
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(query: z.ZodType | undefined) {
  if (!query) return []
  const { properties = {} } = toSchema(query, 'input') as { properties?: Record<string, unknown> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

function headerParameters(operation: Operation, headers: BrandedHeaders) {
  const version = { type: 'string', enum: [...apiVersions], default: defaultApiVersion }
  const workspace = { name: headers.workspace, in: 'header', required: false, schema: { type: 'string' } }
  return [
    { name: headers.version, in: 'header', required: false, schema: version },
    ...('answer' in operation ? [workspace] : []),
  ]
}

const json = (schema: z.ZodType, io: 'input' | 'output') => ({ 'application/json': { schema: toSchema(schema, io) } })

function toSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function securitySchemes(publicUrl: string) {
  const scopes = Object.fromEntries(allScopes.map((scope) => [scope, scope === 'admin' ? 'Everything' : scope]))
  const tokenUrl = `${publicUrl}/oauth/token`
  return {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
    oauth: {
      type: 'oauth2',
      flows: {
        authorizationCode: { authorizationUrl: `${publicUrl}/oauth/authorize`, tokenUrl, scopes },
        clientCredentials: { tokenUrl, scopes },
      },
    },
  }
}
