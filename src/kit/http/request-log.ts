import type { RequestHandler } from 'express'
import type { Log } from '../log.ts'
import { requestIdOf } from './request-id.ts'

/** One line per answer. The route template stands in for the URL, which may hold tokens and codes. */
export const requestLog =
  (log: Log): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      log[res.statusCode >= 500 ? 'error' : 'info']('answered', {
        requestId: requestIdOf(res),
        method: req.method,
        route: req.route ? `${req.baseUrl}${req.route.path}` : 'none',
        status: res.statusCode,
        durationMs: Math.round(performance.now() - startedAt),
        code: res.locals.failureCode,
      })
    })
    next()
  }
