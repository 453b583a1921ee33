import type { ErrorRequestHandler, Response } from 'express'
import { requestIdOf } from '../../kit/http/request-id.ts'
import type { Failure, FailureCode } from '../domain/failure.ts'
import { problemMove } from './problem-moves.ts'
import { problemTitles } from './problem-titles.ts'
import { type FailureLog, toFailure } from './to-failure.ts'

/** A code learns its status here and nowhere else; a forgotten one does not compile. */
export const statuses: Record<FailureCode, number> = {
  input_invalid: 422,
  body_unreadable: 400,
  body_too_large: 413,
  content_type_unsupported: 415,
  method_not_allowed: 405,
  not_found: 404,
  credential_invalid: 401,
  key_limited: 403,
  origin_foreign: 403,
  console_off: 404,
  sign_in_needed: 401,
  sign_in_failed: 403,
  sign_in_unavailable: 502,
  sign_in_stale: 403,
  sign_in_time_unknown: 403,
  role_missing: 403,
  workspace_taken: 409,
  workspace_unknown: 422,
  tenant_exists: 409,
  tenant_suspended: 403,
  tenant_deleted: 409,
  session_started: 409,
  integration_unavailable: 409,
  connect_ended: 410,
  callback_malformed: 400,
  callback_unknown: 410,
  callback_foreign: 403,
  completion_early: 409,
  completion_refused: 400,
  completion_used: 409,
  completion_late: 410,
  provider_unavailable: 502,
  idempotency_key_reused: 422,
  idempotency_key_busy: 409,
  rate_limited: 429,
  link_not_resumable: 409,
  link_not_endable: 409,
  connection_busy: 409,
  connection_disconnected: 409,
  tool_list_outdated: 409,
  rollback_impossible: 409,
  campaign_empty: 409,
  import_cancelled: 409,
  not_in_test_mode: 409,
  test_mode_only: 409,
  platform_unavailable: 502,
  backlog_full: 503,
  connection_limit: 409,
  webhook_limit: 409,
  webhook_secret_limit: 409,
  webhook_disabled: 409,
  store_unavailable: 503,
  unexpected: 500,
}

/** RFC 9457, for programs. */
export const problems =
  (log: FailureLog): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error, log, requestIdOf(res))
    answerHeaders(res, failure)
    res.type('application/problem+json').send(JSON.stringify(toProblem(failure, requestIdOf(res))))
  }

export function answerHeaders(res: Response, failure: Failure): void {
  res.locals.failureCode = failure.code
  res.status(statuses[failure.code])
  const { retryAfterSeconds } = failure.more
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  if (failure.code === 'credential_invalid') res.set('WWW-Authenticate', 'Bearer')
}

export const toProblem = ({ code, detail, more }: Failure, requestId: string) => ({
  type: `/problems/${code}`,
  title: problemTitles[code],
  status: statuses[code],
  detail,
  instance: requestId,
  code,
  whoseMove: problemMove(code),
  ...(more.errors && { errors: more.errors }),
})
