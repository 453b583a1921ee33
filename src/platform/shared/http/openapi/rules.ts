// What the document says of every operation of a part of the platform: credentials, headers, errors.
import { z } from 'zod'
import { WorkspaceSelection } from '../../../../contract/control-plane/workspace.ts'
import { GatewayError, InvalidApiVersion, Refusal } from '../../../../contract/error-bodies.ts'
import { CallbackBody } from '../../../../contract/gateway/requests.ts'
import {
  type BrandedHeaders,
  brandedHeaderValues,
  plainHeaders,
  plainHeaderValues,
} from '../../../../contract/headers.ts'
import { OAuthError } from '../../../../contract/identity/oauth.ts'
import type { DescribedRoute } from '../../../../kit/http/openapi/document.ts'
import type { DocumentParts } from '../../../../kit/http/openapi/document-parts.ts'
import type { RouteDescription } from '../../../../kit/http/openapi/route-description.ts'
import type { Operation } from '../operation.ts'
import { tagOf } from './tags.ts'

const values = { ...plainHeaderValues, ...brandedHeaderValues }

export type HeaderKey = keyof typeof values

/** What is asked below the root of the server: the path names the workspace, and only jobs are asked at a date. */
export type GatewayAddress = RouteDescription & {
  scope: string
  /** At the address of the API, and not at that of workloads. */
  atApi?: true
  /** Headers that only some of them have. */
  requestHeaders?: readonly HeaderKey[]
  responseHeaders?: readonly HeaderKey[]
}

/** Addresses of the authorization server: callers have no token yet, and errors are those of RFC 6749. */
export type OAuthAddress = RouteDescription

export type Addresses = { api: string; inference: string; auth: string }

/** Where an API date may be sent, an unknown one has an error body of its own. */
const DatedGatewayError = z.union([GatewayError, InvalidApiVersion])

/** One API key, in either of the two headers. */
export const keys = [{ apiKey: [] }, { brandedApiKey: [] }]

const gatewayErrorHeaders = ['source', 'errorCode', 'retryAfter', 'challenge'] as const

export function documentRules(parts: DocumentParts, { api, inference, auth }: Addresses, branded: BrandedHeaders) {
  const names: Record<HeaderKey, string> = { ...plainHeaders, ...branded }
  const headers = (chosen: readonly HeaderKey[]) =>
    Object.fromEntries(chosen.map((key) => [names[key], { schema: values[key] }]))
  const refused = (body: z.ZodType, chosen: readonly HeaderKey[]) => {
    const response = (description: string) => ({
      description,
      headers: parts.responseHeaders(headers(chosen)),
      content: { 'application/json': parts.json(body, 'output') },
    })
    return { '4XX': response('Refused, with the reason.'), default: response('It failed, with the reason.') }
  }
  const token = (scope: string) => ({ security: [{ oauth: [scope] }, ...keys] })
  return {
    operation(operation: Operation): DescribedRoute {
      const { method, scope } = operation
      const inWorkspace = 'handle' in operation
      const isPost = method === 'post'
      const taken: HeaderKey[] = ['version', ...when(inWorkspace, 'workspace'), ...when(isPost, 'idempotencyKey')]
      const rules = {
        ...token(scope),
        ...(inWorkspace && { query: WorkspaceSelection }),
        requestHeaders: headers(taken),
        ...(isPost && { responseHeaders: headers(['idempotencyReplayed']) }),
        problems: refused(Refusal, ['retryAfter', 'challenge']),
      }
      return [{ ...operation, tag: tagOf(operation.path), description: permissionWords(operation) }, rules]
    },

    address(address: GatewayAddress): DescribedRoute {
      const { scope, atApi, requestHeaders = [], responseHeaders } = address
      const error = requestHeaders.includes('version') ? DatedGatewayError : GatewayError
      const rules = {
        servers: [{ url: atApi ? api : inference }],
        ...token(scope),
        requestHeaders: headers(requestHeaders),
        ...(responseHeaders && { responseHeaders: headers(responseHeaders) }),
        problems: refused(error, gatewayErrorHeaders),
      }
      return [{ ...address, tag: 'Gateway', description: permissionWords(address) }, rules]
    },

    oauth(address: OAuthAddress): DescribedRoute {
      const bodyTypes = ['application/x-www-form-urlencoded']
      const problems = refused(OAuthError, ['retryAfter'])
      return [
        { ...address, tag: 'OAuth' },
        { servers: [{ url: auth }], security: [], bodyTypes, problems },
      ]
    },

    callback: () => ({
      operationId: 'callback',
      summary: 'Hear what became of a trigger',
      description: 'What an agent answered later, or how an execution ended, to the callback of the trigger.',
      tags: ['Gateway'],
      security: [],
      parameters: parts.requestHeaders(headers(['timestamp', 'signature'])),
      requestBody: { required: true, content: { 'application/json': parts.json(CallbackBody, 'output') } },
      responses: { '2XX': { description: 'Taken. Anything else is told again.' } },
    }),
  }
}

/** What the caller must be permitted, behind what the operation says of itself. */
const permissionWords = ({ description, scope, adminOnly }: RouteDescription & { scope: string; adminOnly?: true }) =>
  [description, `Needs the scope \`${scope}\`.`, adminOnly && 'Only for workspace admins.'].filter(Boolean).join(' ')

const when = (holds: boolean, key: HeaderKey): HeaderKey[] => (holds ? [key] : [])
