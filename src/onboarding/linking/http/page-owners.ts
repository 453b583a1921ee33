import type { ErrorRequestHandler, Request } from 'express'
import type { Translator } from '../../../kit/messages/translator.ts'
import { Failure } from '../../domain/failure.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { keepErrorBrand } from '../../http/error-page.ts'
import type { Languages } from '../../http/languages.ts'
import type { EndedSession } from '../flows/return-browser.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import { brandLocals } from './locals/brand.ts'

export type BrowserPages = Deps & { cookies: BrowserCookies; languages: Languages }

export const brandErrors =
  (ownerOf: (req: Request) => Promise<Tenant | undefined>): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const owner = await ownerOf(req).catch(() => undefined) // the store may be down
    if (owner) keepErrorBrand(res, (translator) => brandLocals(owner, translator))
    next(error)
  }

export const explainEnded =
  (ended: (req: Request) => Promise<EndedSession | undefined>): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const hasEnded = error instanceof Failure && error.code === 'connect_ended'
    const session = hasEnded ? await ended(req).catch(() => undefined) : undefined // the store may be down
    if (session) keepErrorBrand(res, (translator) => endedLocals(session, translator))
    next(error)
  }

function endedLocals({ tenant, app = '', why, returnUrl }: EndedSession, translator: Translator) {
  const names = { tenant: tenant.displayName, app }
  const words = (part: string) => translator.t(`error.ended_${why}.${part}`, names)
  return {
    ...brandLocals(tenant, translator),
    kind: why === 'connected' ? 'success' : 'warning',
    ...{ title: words('title'), detail: words('detail'), advice: words('advice') },
    nextPage: returnUrl && { href: returnUrl, label: translator.t('page.back', names) },
  }
}
