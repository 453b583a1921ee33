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
      const { failureCode: code, whoAsked, isNoFailure } = res.locals
      const request = {
        requestId: requestIdOf(res),
        method: req.method,
        route: routeTemplateOf(req),
        code,
        isNoFailure,
        whoAsked,
        startedAt,
      }
      logAnswer(log, request, res)
    })
    next()
  }

/** Who asked, by their ids, once that is known. */
export function logsWhoAsked(res: Response, fields: WhoAsked): void {
  res.locals.whoAsked = fields
}

/** It is refused for `code`, which is told elsewhere: whoever asked got the right answer, whatever its status. */
export function logsAsAnswered(res: Response, code: string): void {
  res.locals.failureCode = code
  res.locals.isNoFailure = true
}

type WhoAsked = Pick<LogFields, 'tenant' | 'workspace' | 'key'>

type AnsweredRequest = {
  requestId: string
  method: string
  route: string
  code: string | undefined
  isNoFailure?: boolean
  whoAsked?: WhoAsked
  startedAt: number
}

export function logAnswer(
  log: AnswerLog,
  { startedAt, whoAsked, requestId, method, route, code, isNoFailure }: AnsweredRequest,
  { statusCode: status }: ServerResponse,
): void {
  const durationMs = Math.round(performance.now() - startedAt)
  const event = status >= 500 && !isNoFailure ? 'request.failed' : 'request.answered'
  log(event, { ...whoAsked, requestId, method, route, code, status, durationMs })
}
