import type { ServerResponse } from 'node:http'
import type { RequestHandler, Response } from 'express'
import type { Log, LogFields } from '../process/log.ts'
import { requestIdOf } from './request-id.ts'
import { routeTemplateOf } from './route-template.ts'

export type AnswerLog = Log<'request.answered' | 'request.failed'>

export const requestLog =
  (log: AnswerLog): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const { failureCode: code, whoAsked, isNoFailure } = res.locals
      const request = { requestId: requestIdOf(res), method: req.method, route: routeTemplateOf(req), code }
      logAnswer(log, { ...request, isNoFailure, whoAsked, startedAt }, res)
    })
    next()
  }

export function logsWhoAsked(res: Response, fields: WhoAsked): void {
  res.locals.whoAsked = fields
}

/** Logs a 5xx response as answered: the status is right, and `code` is reported elsewhere. */
export function logsAsAnswered(res: Response, code: string): void {
  res.locals.failureCode = code
  res.locals.isNoFailure = true
}

type WhoAsked = Pick<LogFields, 'tenant' | 'workspace' | 'key'>

type AnsweredRequest = Pick<LogFields, 'requestId' | 'method' | 'route' | 'code'> & {
  isNoFailure?: boolean
  whoAsked?: WhoAsked
  startedAt: number
}

export function logAnswer(
  log: AnswerLog,
  { startedAt, whoAsked, isNoFailure, ...request }: AnsweredRequest,
  { statusCode: status }: ServerResponse,
): void {
  const durationMs = Math.round(performance.now() - startedAt)
  const event = status >= 500 && !isNoFailure ? 'request.failed' : 'request.answered'
  log(event, { ...whoAsked, ...request, status, durationMs })
}
