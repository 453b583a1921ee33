import type { ErrorRequestHandler, Response } from 'express'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { type Failure, failures } from '../domain/failure.ts'
import { type FailureLog, toFailure } from './to-failure.ts'

/** RFC 9457, for programs. */
export const problems =
  (log: FailureLog, publicUrl: string): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error, log, requestIdOf(res))
    answerHeaders(res, failure)
    res.type('application/problem+json').send(JSON.stringify(toProblem(failure, requestIdOf(res), publicUrl)))
  }

export function answerHeaders(res: Response, failure: Failure): void {
  res.locals.failureCode = failure.code
  res.status(failures[failure.code].status)
  const { retryAfterSeconds } = failure.more
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  if (failure.code === 'credential_invalid') res.set('WWW-Authenticate', 'Bearer')
}

export const toProblem = ({ code, detail, more }: Failure, requestId: string, publicUrl: string) => ({
  type: `/problems/${code}`,
  title: failures[code].title,
  status: failures[code].status,
  detail,
  instance: requestId,
  code,
  whoseMove: failures[code].whoseMove,
  docs: `${publicUrl}/docs/reference/errors#${code}`,
  ...(more.errors && { errors: more.errors }),
})
