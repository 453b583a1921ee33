import type { ErrorRequestHandler } from 'express'
import { requestIdOf } from '../../kit/http/request-id.ts'
import type { Log } from '../../kit/process/log.ts'
import { errorLocals } from './locals/error.ts'
import { answerHeaders } from './problem.ts'
import { toFailure } from './to-failure.ts'

/** For people: what happened, what to do now, and the id to read out to support. */
export const errorPages =
  (log: Log): ErrorRequestHandler =>
  (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error, log, requestIdOf(res))
    answerHeaders(res, failure)
    res.render('onboarding/error', errorLocals(failure, requestIdOf(res), req.originalUrl))
  }
