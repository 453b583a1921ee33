import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Log } from '../process/log.ts'
import { requestIdOf } from './request-id.ts'

/** One line per answer. The route template stands in for the URL, which may hold tokens and codes. */
export const requestLog =
  (log: Log): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const route = req.route ? `${req.baseUrl}${req.route.path}` : 'none'
      const code = res.locals.failureCode
      logAnswer(log, { requestId: requestIdOf(res), method: req.method, route, startedAt, code }, res)
    })
    next()
  }

type RequestRecord = { requestId: string; method: string; route: string; startedAt: number; code: string | undefined }

export function logAnswer(
  log: Log,
  { startedAt, ...answered }: RequestRecord,
  { statusCode: status }: ServerResponse,
): void {
  const durationMs = Math.round(performance.now() - startedAt)
  log[status >= 500 ? 'error' : 'info']('answered', { ...answered, status, durationMs })
}
