import type { ErrorRequestHandler, Request, Response } from 'express'
import { requestIdOf } from '../../kit/http/request-id.ts'
import type { Translator } from '../../kit/messages/translator.ts'
import { type Failure, type FailureCode, failures } from '../domain/failure.ts'
import type { Settings } from '../domain/settings.ts'
import { type Languages, renderPage } from './languages.ts'
import { consoleErrorLocals, isConsole } from './locals/console-error.ts'
import { answerHeaders } from './problem.ts'
import { type FailureLog, toFailure } from './to-failure.ts'

type ErrorPages = { log: FailureLog; languages: Languages; settings: Pick<Settings, 'supportUrl'> }

export const errorPages =
  ({ log, languages, settings: { supportUrl } }: ErrorPages): ErrorRequestHandler =>
  (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error, log, requestIdOf(res))
    answerHeaders(res, failure)
    if (isConsole(req.originalUrl)) {
      return res.render('onboarding/error', consoleErrorLocals(failure, requestIdOf(res), req.originalUrl))
    }
    const translator = languages.forError(req)
    const retry = samePage(req, failure, translator)
    const locals = {
      ...errorLocals(failure, requestIdOf(res), translator),
      nextPage: placeNear(req.originalUrl, translator, supportUrl),
      ...brands.get(res)?.(translator),
      ...(retry && { nextPage: retry }),
    }
    renderPage(res, 'onboarding/error', translator, locals)
  }

/** The form of a connect page is at the address that it is sent to. The address itself may contain secrets. */
function samePage({ method, originalUrl }: Request, { code }: Failure, { t }: Translator) {
  if (!temporary.has(code) || !(method === 'GET' || originalUrl.startsWith('/connect/'))) return undefined
  return { href: '', label: t('link.tryAgain') }
}

function placeNear(path: string, { t }: Translator, supportUrl: string | undefined) {
  if (path.startsWith('/docs/')) return { href: '/docs', label: t('home.api') }
  if (path.startsWith('/catalogue/')) return { href: '/catalogue', label: t('home.apps') }
  return supportUrl ? { href: supportUrl, label: t('page.support') } : { href: '/', label: t('page.start') }
}

const temporary: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'store_unavailable',
  'provider_unavailable',
  'unexpected',
])

type Brand = (translator: Translator) => object

const brands = new WeakMap<Response, Brand>()

/** Head and foot of the error page. */
export const keepErrorBrand = (res: Response, brand: Brand): void => void brands.set(res, brand)

/** Does not show `detail`: it is in English and for users of the API. */
export function errorLocals({ code, more }: Failure, requestId: string, { t }: Pick<Translator, 't'>) {
  const name = more.variant ?? messageName(code)
  return {
    title: t(`error.${name}.title`),
    detail: t(`error.${name}.detail`),
    advice: t(`error.${name}.advice`),
    faults: [],
    nextPage: undefined,
    requestId,
  }
}

type CodeWithWords = { [C in FailureCode]: (typeof failures)[C] extends { forUser: object } ? C : never }[FailureCode]

function messageName(code: FailureCode): FailureCode | 'rejected' {
  const entry = failures[code]
  if (!('forUser' in entry)) return entry.status < 500 ? 'rejected' : 'unexpected'
  const shared: CodeWithWords | undefined = typeof entry.forUser === 'string' ? entry.forUser : undefined
  return shared ?? code
}
