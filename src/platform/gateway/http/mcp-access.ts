// Challenges for clients without a token or scope (RFC 9728, RFC 6750).
import type { Request, RequestHandler, Response, Router } from 'express'
import { WorkspaceName } from '../../../contract/headers.ts'
import type { ProtectedResource } from '../../../contract/identity/oauth.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure, type FailureCode } from '../../shared/domain/failure.ts'
import {
  firstToolScope,
  isFunctionName,
  mcpAddress,
  metadataAddress,
  personAddress,
  toolScopes,
} from '../../shared/domain/function-resource.ts'
import { assertOwnOrigin } from '../../shared/http/enter-gateway.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import { messagesOf } from './mcp-messages.ts'

export type McpAddresses = { gatewayUrl: string; issuer: string; welcome: readonly string[] }

/** Answers for every valid name, so it does not reveal which functions exist. */
export const protectedResources = ({ gatewayUrl, issuer }: McpAddresses): Router => {
  const describe = (resource: string, res: Response) => {
    const document: ProtectedResource = {
      resource,
      authorization_servers: [issuer],
      scopes_supported: [...toolScopes],
      bearer_methods_supported: ['header'],
    }
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' }).json(document)
  }
  return exactRouter()
    .get('/.well-known/oauth-protected-resource/:workspace/functions/:name/mcp', (req, res) => {
      const { workspace, name } = req.params
      if (!isFunctionName({ workspace, name })) throw nothingHere()
      describe(mcpAddress(gatewayUrl, { workspace, name }), res)
    })
    .get('/.well-known/oauth-protected-resource/:workspace/mcp', (req, res) => {
      const { workspace } = req.params
      if (!WorkspaceName.safeParse(workspace).success) throw nothingHere()
      describe(personAddress(gatewayUrl, workspace), res)
    })
}

const nothingHere = () => new Failure('route_unknown', 'There is nothing at this address.')

export function challengeFor(resource: string, code: FailureCode): string | undefined {
  const problem = problems[code]
  if (problem === undefined) return undefined
  const { error, scope } = problem
  const parts = [...(error ? [`error="${error}"`] : []), `scope="${scope}"`]
  return `Bearer ${[...parts, `resource_metadata="${metadataAddress(resource)}"`].join(', ')}`
}

const problems: Partial<Record<FailureCode, { error?: string; scope: string }>> = {
  credential_missing: { scope: firstToolScope },
  credential_invalid: { error: 'invalid_token', scope: firstToolScope },
  // All scopes: a client that requests only the missing one would lose those it has.
  scope_missing: { error: 'insufficient_scope', scope: toolScopes.join(' ') },
}

/** A token with `tools:read` may only call tools that read. Platform credentials are not limited to tools. */
export function assertMayCall({ onlyAt, scopes }: Caller, mcp: OpenMcp, body: unknown): void {
  if (!onlyAt || scopes?.has('tools:write')) return
  const isWriting = messagesOf(body).some(({ method, params }) => method === 'tools/call' && !reads(mcp, params))
  if (isWriting) throw new Failure('scope_missing', 'This tool writes data, which requires the scope tools:write.')
}

const reads = (mcp: OpenMcp, params: { name?: unknown; arguments?: unknown } | undefined): boolean =>
  typeof params?.name === 'string' && mcp.isReading(params.name, Object(params.arguments))

const exposed = 'WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After'

/** CORS for welcome origins; others are rejected. No cookies are read here, so callers need a token. */
export const browserClients =
  ({ gatewayUrl, welcome }: McpAddresses): RequestHandler =>
  (req, res, next) => {
    assertOwnOrigin(req, gatewayUrl, welcome)
    const { origin } = req.headers
    if (origin !== undefined)
      res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed })
    res.vary('Origin')
    if (isPreflight(req)) return sendPreflight(req, res)
    next()
  }

const isPreflight = (req: Request) => req.method === 'OPTIONS' && req.get('Access-Control-Request-Method') !== undefined

function sendPreflight(req: Request, res: Response): void {
  res.set({
    'Access-Control-Allow-Methods': 'POST, GET, DELETE',
    'Access-Control-Allow-Headers': req.get('Access-Control-Request-Headers') ?? '',
    'Access-Control-Max-Age': '600',
  })
  res.status(204).end()
}
