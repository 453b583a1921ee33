import type { ServerResponse } from 'node:http'
import type { ErrorRequestHandler } from 'express'
import type { GatewayError, GatewayErrorCode, Refusal } from '../../../contract/error-bodies.ts'
import { type BrandedHeaders, plainHeaders } from '../../../contract/headers.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Failure, FailureCode } from '../../shared/domain/failure.ts'
import { bodyOf, challenge } from '../../shared/http/control-plane-errors.ts'
import { type FailureLog, logFault, toFailure } from '../../shared/http/to-failure.ts'

const badRequest: [number, GatewayErrorCode] = [400, 'BAD_REQUEST']

const answers: Record<FailureCode, [status: number, code: GatewayErrorCode, retryable?: true]> = {
  input_invalid: badRequest,
  cursor_invalid: badRequest,
  version_unknown: badRequest,
  media_type_unsupported: badRequest,
  workspace_ambiguous: badRequest,
  workspace_unnamed: badRequest,
  name_taken: [409, 'CONFLICT'],
  resource_in_use: [409, 'CONFLICT'],
  change_outdated: [409, 'CONFLICT'],
  key_reused: [422, 'BAD_REQUEST'],
  key_in_progress: [409, 'CONFLICT', true],
  key_outcome_unknown: [409, 'CONFLICT'],
  body_too_large: [413, 'REQUEST_ENTITY_TOO_LARGE'],
  credential_missing: [401, 'AUTHENTICATION_REQUIRED'],
  credential_invalid: [401, 'AUTHENTICATION_FAILED'],
  scope_missing: [403, 'FORBIDDEN'],
  role_missing: [403, 'FORBIDDEN'],
  approval_required: [403, 'APPROVAL_REQUIRED'],
  // Callers must not learn whether another tenant's workspace exists.
  workspace_closed: [404, 'WORKSPACE_NOT_FOUND'],
  route_unknown: [404, 'ROUTE_NOT_FOUND'],
  resource_unknown: [404, 'WORKLOAD_NOT_FOUND'],
  method_not_allowed: [404, 'ROUTE_NOT_FOUND'],
  workload_unavailable: [404, 'WORKLOAD_UNAVAILABLE', true],
  connection_unusable: [502, 'CONNECTION_UNUSABLE'],
  third_party_unavailable: [502, 'CONNECTION_UNUSABLE', true],
  too_many_requests: [429, 'TOO_MANY_REQUESTS', true],
  sealed_unreadable: [500, 'SECRET_UNREADABLE'],
  store_unavailable: [503, 'INTERNAL_ERROR', true],
  unexpected: [500, 'INTERNAL_ERROR'],
}

export type GatewayAnswers = ReturnType<typeof gatewayAnswers>

export function gatewayAnswers(headers: BrandedHeaders, log: FailureLog, now: () => Date) {
  const render = (error: unknown, requestId: string) => {
    const failure = toFailure(error)
    const [status, code, retryable = false] = answers[failure.code]
    logFault(log, failure, requestId)
    const said = { code, message: failure.detail, status, retryable, timestamp: now().toISOString() }
    // The API specification fixes this body for all servers.
    const body: GatewayError | Refusal = failure.code === 'version_unknown' ? bodyOf(failure) : { error: said }
    const marks = { [headers.source]: 'platform', [headers.errorCode]: code, ...hints(failure, status) }
    return { failure, status, body, marks }
  }
  return {
    render,

    /** Sends without Express. A response that has begun can only be aborted. */
    send(error: unknown, requestId: string, res: ServerResponse, always: Record<string, string | string[]>): string {
      const { failure, status, body, marks } = render(error, requestId)
      if (res.headersSent) res.destroy()
      else {
        const text = JSON.stringify(body)
        const about = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }
        res.writeHead(status, { ...always, ...marks, ...about }).end(text)
      }
      return failure.code
    },
  }
}

/** RFC 9110, section 11.6.1: every 401 has a challenge. */
const hints = ({ code, retryAfterSeconds }: Failure, status: number): Record<string, string> => ({
  ...(retryAfterSeconds !== undefined && { [plainHeaders.retryAfter]: String(retryAfterSeconds) }),
  ...(status === 401 && { [plainHeaders.challenge]: challenge(code) }),
})

export const gatewayErrors =
  ({ render }: GatewayAnswers): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const { failure, status, body, marks } = render(error, requestIdOf(res))
    res.locals.failureCode = failure.code
    res.set(marks)
    if (typeof res.locals.challenge === 'string') res.set(plainHeaders.challenge, res.locals.challenge)
    res.status(status).json(body)
  }
