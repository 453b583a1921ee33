// Sessions are in Redis and everything else is in the database: without them no page of the console can be rendered.
import type { ErrorRequestHandler } from 'express'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { type Readiness, readParts } from '../../../http/health.ts'
import { consoleErrorLocals } from '../../../http/locals/console-error.ts'
import { answerHeaders } from '../../../http/problem.ts'
import { type FailureLog, toFailure } from '../../../http/to-failure.ts'
import { type ServiceStates, serviceLocals } from '../locals/overview.ts'

/** Shown instead of any page of the console: which service is not responding. */
export const storeOutagePage =
  ({ readiness, log }: { readiness: Readiness; log: FailureLog }): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const failure = toFailure(error, log, requestIdOf(res))
    if (res.headersSent || failure.code !== 'store_unavailable') return next(failure)
    const services = serviceLocals(await readServiceStates(readiness))
    answerHeaders(res, failure)
    res.render('onboarding/error', { ...consoleErrorLocals(failure, requestIdOf(res), req.originalUrl), services })
  }

/** A service that hangs counts as down, and must not delay the page. */
export const readServiceStates = (readiness: Readiness): Promise<ServiceStates> => readParts(readiness, 500)
