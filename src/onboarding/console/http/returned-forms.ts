// A form that is refused comes back on its page, filled in as it was sent, with what is wrong at its fields.
import type { ErrorRequestHandler, Request, Router } from 'express'
import { ValueUnstorable } from '../../../kit/database/store-errors.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Failure } from '../../domain/failure.ts'
import { unstorable } from '../../http/input-errors.ts'
import { answerHeaders, statuses } from '../../http/problem.ts'
import { type FailureLog, toFailure } from '../../http/to-failure.ts'
import { type FormPlace, placeOfForm } from './form-places.ts'
import { keepReturnedForm, returnedForm } from './locals/returned-form.ts'

type Needs = { pages: Router; log: FailureLog }

/**
 * Has the page itself drawn once more, so that a form has one template and one function that fills it. The page is new:
 * so is the token of its forms, and a correction can be sent.
 */
export const returnedForms =
  ({ pages, log }: Needs): ErrorRequestHandler =>
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
    // Also if what the page is about is gone: then the refusal is all there is to say.
    pages(visitTo(place.page, req), res, () => next(failure))
  }

/** Who may not act, or has to sign in first, gets no form. A failure of ours has a page of its own. */
const statusesToCorrect = [409, 422, 429, 502]

const bringsBack = ({ code }: Failure, { blamed }: FormPlace): boolean =>
  statusesToCorrect.includes(statuses[code]) || blamed?.[code] !== undefined

/** The same browser opens the page. The request itself stays what it was, for metrics and logs. */
export function visitTo(page: string, req: Request): Request {
  const visit: Request = Object.create(req)
  return Object.assign(visit, { method: 'GET', url: page, originalUrl: `${req.baseUrl}${page}` })
}
