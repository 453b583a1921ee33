import type { ErrorRequestHandler, Response } from 'express'
import { ZodError } from 'zod'
import { StoreUnavailable, ValueUnstorable } from '../../kit/database/store-errors.ts'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import { Failure, type FailureCode } from '../domain/failure.ts'
import { problemTitles } from './problem-titles.ts'

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
  sign_in_stale: 403,
  sign_in_time_unknown: 403,
  role_missing: 403,
  workspace_taken: 409,
  tenant_exists: 409,
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
  connection_busy: 409,
  connection_disconnected: 409,
  rollback_impossible: 409,
  campaign_empty: 409,
  platform_unavailable: 502,
  backlog_full: 503,
  webhook_limit: 409,
  webhook_secret_limit: 409,
  webhook_disabled: 409,
  store_unavailable: 503,
  unexpected: 500,
}

/** Any thrown thing as a Failure; what it carries beyond that goes nowhere. */
export function toFailure(error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ZodError) return inputInvalid(error)
  const parsed = fromBodyParser(error)
  if (parsed) return parsed
  if (error instanceof ValueUnstorable)
    return new Failure('input_invalid', 'The request has a text that cannot be stored.')
  if (error instanceof StoreUnavailable) {
    log.warn('a store did not answer', { requestId, code: describeError(error) })
    return new Failure('store_unavailable', 'We cannot write anything down right now. Please try again in a moment.', {
      retryAfterSeconds: 5,
    })
  }
  log.error('unexpected', { requestId, code: describeError(error) })
  return new Failure('unexpected', 'The fault is on our side.')
}

/** RFC 9457, for programs. */
export const problems =
  (log: Log): ErrorRequestHandler =>
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
  ...(more.errors && { errors: more.errors }),
})

function inputInvalid(error: ZodError): Failure {
  const errors = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path), detail: issue.message }]
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      detail: 'is not valid: there is no such member',
    }))
  })
  return new Failure('input_invalid', 'The request is not valid. `errors` says where.', { errors })
}

/** RFC 6901. */
const pointerTo = (path: PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function fromBodyParser(error: unknown): Failure | undefined {
  const type = (error as { type?: unknown } | undefined)?.type
  if (type === 'entity.too.large' || type === 'parameters.too.many')
    return new Failure('body_too_large', 'The body is larger than we take.')
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Failure('body_unreadable', 'The body did not arrive whole.')
  }
  if (type === 'entity.parse.failed') return new Failure('body_unreadable', 'The body is not JSON.')
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new Failure('content_type_unsupported', 'The body must be in UTF-8 and not compressed.')
  }
  if (error instanceof URIError) return new Failure('not_found', 'There is nothing at this address.')
  return undefined
}
