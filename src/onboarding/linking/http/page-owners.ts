import type { ErrorRequestHandler, Request } from 'express'
import { Failure } from '../../domain/failure.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { keepErrorBrand } from '../../http/error-page.ts'
import type { Languages } from '../../http/languages.ts'
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

type WayBack = { tenant: Tenant; url: string }

export const offerWayBack =
  (wayBack: (req: Request) => Promise<WayBack | undefined>): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const hasEnded = error instanceof Failure && error.code === 'connect_ended'
    const way = hasEnded ? await wayBack(req).catch(() => undefined) : undefined // the store may be down
    if (way)
      keepErrorBrand(res, (translator) => ({
        ...brandLocals(way.tenant, translator),
        nextPage: { href: way.url, label: translator.t('page.back', { tenant: way.tenant.displayName }) },
      }))
    next(error)
  }
