import type { ServerResponse } from 'node:http'
import type { RequestHandler, Response } from 'express'
import type { Log, LogFields } from '../process/log.ts'
import { requestIdOf } from './request-id.ts'
import { routeTemplateOf } from './route-template.ts'

export type AnswerLog = Log<'request.answered' | 'request.failed'>

/** One line per answer. */
export const requestLog =
  (log: AnswerLog): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const { failureCode: code, whoAsked } = res.locals
      const answered = { requestId: requestIdOf(res), method: req.method, route: routeTemplateOf(req), code }
      logAnswer(log, { ...whoAsked, ...answered, startedAt }, res)
    })
    next()
  }

/** Who asked, by their ids, once that is known. */
export function logsWhoAsked(res: Response, fields: Pick<LogFields, 'tenant' | 'workspace' | 'key'>): void {
  res.locals.whoAsked = fields
}

type RequestRecord = LogFields & { startedAt: number }

export function logAnswer(
  log: AnswerLog,
  { startedAt, ...answered }: RequestRecord,
  { statusCode: status }: ServerResponse,
): void {
  const durationMs = Math.round(performance.now() - startedAt)
  log(status >= 500 ? 'request.failed' : 'request.answered', { ...answered, status, durationMs })
}
