import type { ErrorRequestHandler, Request } from 'express'
import type { Tenant } from '../../domain/tenant.ts'
import { keepErrorBrand } from '../../http/error-page.ts'
import { brandLocals } from './locals/brand.ts'

/** Before the page of an error is shown: it looks like the page that was asked for. What is not known, it leaves out. */
export const brandErrors =
  (ownerOf: (req: Request) => Promise<Tenant | undefined>): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const owner = await ownerOf(req).catch(() => undefined) // the store that is away may be the error
    if (owner) keepErrorBrand(res, (translator) => brandLocals(owner, translator))
    next(error)
  }
