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

type HeaderKey = keyof typeof values

/** Served at the root. The path names the workspace, and only jobs use API versions. */
export type GatewayAddress = RouteDescription & {
  scope: string
  atApi?: true
  requestHeaders?: readonly HeaderKey[]
  responseHeaders?: readonly HeaderKey[]
}

/** Routes of the authorization server: without tokens, with the errors of RFC 6749. */
export type OAuthAddress = RouteDescription

export type Addresses = { api: string; inference: string; auth: string }

/** With API versions, an unknown version has its own error body. */
const DatedGatewayError = z.union([GatewayError, InvalidApiVersion])

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
    return { '4XX': response('Rejected, with the reason.'), default: response('Failed, with the reason.') }
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
      summary: 'Receive the result of a trigger',
      description: 'Sends the response of an agent or the result of an execution to the callback of the trigger.',
      tags: ['Gateway'],
      security: [],
      parameters: parts.requestHeaders(headers(['timestamp', 'signature'])),
      requestBody: { required: true, content: { 'application/json': parts.json(CallbackBody, 'output') } },
      responses: { '2XX': { description: 'Accepted. Any other status is retried.' } },
    }),
  }
}

const permissionWords = ({ description, scope, adminOnly }: RouteDescription & { scope: string; adminOnly?: true }) =>
  [description, `Requires the scope \`${scope}\`.`, adminOnly && 'Only for workspace admins.'].filter(Boolean).join(' ')

const when = (holds: boolean, key: HeaderKey): HeaderKey[] => (holds ? [key] : [])
