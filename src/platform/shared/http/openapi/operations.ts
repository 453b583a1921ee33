import { z } from 'zod'
import { WorkspaceSelection } from '../../../../contract/control-plane/workspace.ts'
import { GatewayError, InvalidApiVersion, Refusal } from '../../../../contract/error-bodies.ts'
import { CallbackBody } from '../../../../contract/gateway/agent-request.ts'
import {
  type BrandedHeaders,
  brandedHeaderValues,
  plainHeaders,
  plainHeaderValues,
} from '../../../../contract/headers.ts'
import { OAuthError } from '../../../../contract/identity/oauth.ts'
import type { Operation } from '../operation.ts'
import type { SchemaTranslator } from './schemas.ts'

const values = { ...plainHeaderValues, ...brandedHeaderValues }

export type HeaderKey = keyof typeof values

/** What is asked below the root of the server: the path names the workspace, and only jobs are asked at a date. */
export type GatewayAddress = Pick<Operation, 'method' | 'path' | 'scope' | 'summary' | 'schemas'> & {
  /** At the address of the API, and not at that of workloads. */
  atApi?: true
  bodyOptional?: true
  /** Headers that only some of them have. */
  takes?: readonly HeaderKey[]
  answers?: readonly HeaderKey[]
}

/** Addresses of the authorization server: callers have no token yet, and errors are those of RFC 6749. */
export type OAuthAddress = Pick<Operation, 'method' | 'path' | 'summary'> & {
  schemas: { query?: z.ZodType; body?: z.ZodType; answer?: z.ZodType }
}

/** Where an API date may be sent, an unknown one has an error body of its own. */
const DatedGatewayError = z.union([GatewayError, InvalidApiVersion])

/** One API key, in either of the two headers. */
export const keys = [{ apiKey: [] }, { brandedApiKey: [] }]

export function operationDescriber(branded: BrandedHeaders, translate: SchemaTranslator) {
  const headers = headerDescriber(branded, translate)
  const parts = partDescriber(translate)
  return {
    operation(operation: Operation) {
      const { method, summary, schemas, adminOnly } = operation
      const inWorkspace = 'answer' in operation
      const isPost = method === 'post'
      const takes: HeaderKey[] = ['version', ...when(inWorkspace, 'workspace'), ...when(isPost, 'idempotencyKey')]
      return {
        ...parts.common({ ...operation, summary: adminOnly ? `${summary} (workspace admins)` : summary }),
        parameters: [
          ...pathParameters(operation.path),
          ...parts.query(schemas.query),
          ...(inWorkspace ? parts.query(WorkspaceSelection) : []),
          ...headers.requestHeaders(takes),
        ],
        responses: {
          200: { ...parts.done(schemas.answer), headers: headers.responseHeaders(when(isPost, 'idempotencyReplayed')) },
          default: { ...parts.refused(Refusal), headers: headers.responseHeaders(['retryAfter', 'challenge']) },
        },
      }
    },

    address(address: GatewayAddress) {
      const { path, schemas, takes = [], answers = [] } = address
      return {
        ...parts.common(address),
        parameters: [...pathParameters(path), ...parts.query(schemas.query), ...headers.requestHeaders(takes)],
        responses: {
          200: { ...parts.done(schemas.answer), headers: headers.responseHeaders(answers) },
          default: {
            ...parts.refused(takes.includes('version') ? DatedGatewayError : GatewayError),
            headers: headers.responseHeaders(['source', 'errorCode', 'retryAfter', 'challenge']),
          },
        },
      }
    },

    oauth({ method, path, summary, schemas: { query, body, answer } }: OAuthAddress) {
      return {
        operationId: operationId(method, path),
        summary,
        security: [],
        parameters: parts.query(query),
        ...(body && { requestBody: { required: true, content: parts.formOrJson(body) } }),
        responses: {
          ...(answer ? { 200: parts.done(answer) } : { 303: { description: 'The browser goes on.' } }),
          default: { ...parts.refused(OAuthError), headers: headers.responseHeaders(['retryAfter']) },
        },
      }
    },

    callback: () => ({
      summary: 'What an agent answered later, or how an execution ended, to the callback of the trigger',
      security: [],
      parameters: headers.requestHeaders(['timestamp', 'signature']),
      requestBody: { required: true, content: parts.json(CallbackBody, 'output') },
      responses: { '2XX': { description: 'Taken. Anything else is told again.' } },
    }),
  }
}

function partDescriber(translate: SchemaTranslator) {
  const json = (schema: z.ZodType, io: 'input' | 'output') => ({
    'application/json': { schema: translate(schema, io) },
  })
  return {
    json,
    formOrJson: (schema: z.ZodType) => {
      const content = json(schema, 'input')
      return { ...content, 'application/x-www-form-urlencoded': content['application/json'] }
    },
    common: ({ method, path, scope, summary, schemas, bodyOptional }: GatewayAddress) => ({
      operationId: operationId(method, path),
      summary,
      security: [{ oauth: [scope] }, ...keys],
      ...(schemas.body && { requestBody: { required: !bodyOptional, content: json(schemas.body, 'input') } }),
    }),
    query: (schema: z.ZodType | undefined) => (schema ? queryParameters(translate(schema, 'input')) : []),
    done: (answer: z.ZodType) => ({ description: 'Done.', content: json(answer, 'output') }),
    refused: (refusal: z.ZodType) => ({ description: 'Refused, with the reason.', content: json(refusal, 'output') }),
  }
}

/** Headers of the contract, as parameters of requests and as parts of answers. */
function headerDescriber(branded: BrandedHeaders, translate: SchemaTranslator) {
  const names: Record<HeaderKey, string> = { ...plainHeaders, ...branded }
  return {
    requestHeaders: (keys: readonly HeaderKey[]) =>
      keys.map((key) => ({
        name: names[key],
        in: 'header',
        required: false,
        schema: translate(values[key], 'input'),
      })),

    responseHeaders: (keys: readonly HeaderKey[]) =>
      Object.fromEntries(keys.map((key) => [names[key], { schema: translate(values[key], 'input') }])),
  }
}

const operationId = (method: string, path: string) =>
  `${method}${path.replace(/(?<![:/_*.-])[:/_*.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`

const when = (holds: boolean, key: HeaderKey): HeaderKey[] => (holds ? [key] : [])

const pathParameters = (path: string) =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters({ properties = {}, required = [] }: { properties?: object; required?: string[] }) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
