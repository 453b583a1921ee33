import type { ErrorRequestHandler, Response } from 'express'
import { requestIdOf } from '../../kit/http/request-id.ts'
import type { Translator } from '../../kit/messages/translator.ts'
import { type Languages, renderPage } from './languages.ts'
import { consoleErrorLocals, isConsole } from './locals/console-error.ts'
import { errorLocals } from './locals/error.ts'
import { answerHeaders } from './problem.ts'
import { type FailureLog, toFailure } from './to-failure.ts'

/** For people: what happened, what to do now, and the id to read out to support. */
export const errorPages =
  (log: FailureLog, languages: Languages): ErrorRequestHandler =>
  (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error, log, requestIdOf(res))
    answerHeaders(res, failure)
    if (isConsole(req.originalUrl)) {
      return res.render('onboarding/error', consoleErrorLocals(failure, requestIdOf(res), req.originalUrl))
    }
    const translator = languages.forError(req)
    const locals = { ...errorLocals(failure, requestIdOf(res), translator), ...brands.get(res)?.(translator) }
    renderPage(res, 'onboarding/error', translator, locals)
  }

type Brand = (translator: Translator) => object

const brands = new WeakMap<Response, Brand>()

/** What the head and the foot of the page show, if one is to be shown. */
export const keepErrorBrand = (res: Response, brand: Brand): void => void brands.set(res, brand)
