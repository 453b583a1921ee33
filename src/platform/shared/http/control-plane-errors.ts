import type { ErrorRequestHandler, Response } from 'express'
import type { ControlPlaneErrorWord, Refusal } from '../../../contract/error-bodies.ts'
import { plainHeaders } from '../../../contract/headers.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Failure, FailureCode } from '../domain/failure.ts'
import { type FailureLog, logFault, toFailure } from './to-failure.ts'

const answers: Record<FailureCode, [status: number, error: ControlPlaneErrorWord | 'invalid_api_version']> = {
  input_invalid: [400, 'invalid_request'],
  cursor_invalid: [400, 'invalid_cursor'],
  version_unknown: [400, 'invalid_api_version'],
  body_too_large: [413, 'body_too_large'],
  media_type_unsupported: [415, 'unsupported_media_type'],
  workspace_ambiguous: [400, 'workspace_ambiguous'],
  workspace_unnamed: [400, 'workspace_required'],
  credential_missing: [401, 'authentication_required'],
  credential_invalid: [401, 'invalid_token'],
  scope_missing: [403, 'insufficient_scope'],
  role_missing: [403, 'access_denied'],
  approval_required: [403, 'access_denied'],
  workspace_closed: [403, 'access_denied'],
  route_unknown: [404, 'not_found'],
  resource_unknown: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  workload_unavailable: [409, 'workload_unavailable'],
  connection_unusable: [502, 'connection_unusable'],
  third_party_unavailable: [502, 'connection_unusable'],
  name_taken: [409, 'conflict'],
  resource_in_use: [409, 'in_use'],
  change_outdated: [409, 'conflict'],
  key_reused: [422, 'idempotency_key_reused'],
  key_in_progress: [409, 'idempotency_key_in_progress'],
  key_outcome_unknown: [409, 'idempotency_outcome_unknown'],
  too_many_requests: [429, 'too_many_requests'],
  sealed_unreadable: [500, 'secret_unreadable'],
  store_unavailable: [503, 'unavailable'],
  unexpected: [500, 'internal_error'],
}

export const statusOf = ({ code }: Failure): number => answers[code][0]

export const controlPlaneErrors =
  (log: FailureLog): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error)
    const [status] = answers[failure.code]
    res.locals.failureCode = failure.code
    logFault(log, failure, requestIdOf(res))
    if (status === 401) res.set(plainHeaders.challenge, challenge(failure.code))
    retryAfter(res, failure)
    res.status(status).json(bodyOf(failure))
  }

export function retryAfter(res: Response, { retryAfterSeconds }: Failure): void {
  if (retryAfterSeconds !== undefined) res.set(plainHeaders.retryAfter, String(retryAfterSeconds))
}

export function bodyOf({ code, detail }: Failure): Refusal {
  const [status, error] = answers[code]
  if (error === 'invalid_api_version') return { error, message: detail }
  return { code: status, error, message: detail }
}

/** RFC 6750 §3: without a credential, the challenge only names the scheme. */
export const challenge = (code: FailureCode) =>
  code === 'credential_invalid' ? 'Bearer error="invalid_token"' : 'Bearer'
