// Renders the page of a rejected form again, with the sent fields and their errors.
import type { ErrorRequestHandler, Request, Router } from 'express'
import { ValueUnstorable } from '../../../kit/database/store-errors.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { type Failure, failures } from '../../domain/failure.ts'
import { unstorable } from '../../http/input-errors.ts'
import { answerHeaders } from '../../http/problem.ts'
import { type FailureLog, toFailure } from '../../http/to-failure.ts'
import { type FormPlace, placeOfForm } from './form-places.ts'
import { keepReturnedForm, returnedForm } from './locals/returned-form.ts'

/**
 * Renders through the page's own route, so that each form has one template. The new page has a new token, so the
 * correction can be sent.
 */
export const returnedForms =
  (pages: Router, log: FailureLog): ErrorRequestHandler =>
  (error, req, res, next) => {
    const place = req.method === 'POST' && !res.headersSent ? placeOfForm(req.path, req.body ?? {}) : undefined
    if (!place) return next(error)
    const sent = req.body ?? {}
    const failure =
      error instanceof ValueUnstorable
        ? unstorable({ params: {}, query: {}, body: sent })
        : toFailure(error, log, requestIdOf(res))
    if (!bringsBack(failure, place)) return next(failure)
    answerHeaders(res, failure)
    keepReturnedForm(res, returnedForm({ action: `${req.baseUrl}${req.path}`, sent, failure, place }))
    // If the page no longer exists, shows the error page.
    pages(visitTo(place.page, req), res, () => next(failure))
  }

/** Other statuses have their own page. */
const statusesToCorrect = [409, 422, 429, 502]

const bringsBack = ({ code }: Failure, { blamed }: FormPlace): boolean =>
  statusesToCorrect.includes(failures[code].status) || blamed?.[code] !== undefined

/** The original request stays unchanged for metrics and logs. */
function visitTo(page: string, req: Request): Request {
  const visit: Request = Object.create(req)
  return Object.assign(visit, { method: 'GET', url: page, originalUrl: `${req.baseUrl}${page}` })
}
