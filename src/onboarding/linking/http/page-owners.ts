import type { ErrorRequestHandler, Request } from 'express'
import type { Translator } from '../../../kit/messages/translator.ts'
import { appIcon } from '../../domain/catalogue/app-icon.ts'
import { Failure } from '../../domain/failure.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import { keepErrorBrand } from '../../http/error-page.ts'
import type { Languages } from '../../http/languages.ts'
import type { PageOwner } from '../flows/page-owner.ts'
import type { EndedSession } from '../flows/return-browser.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import { brandLocals, tenantIcon, wayBack } from './locals/brand.ts'

export type BrowserPages = Deps & { cookies: BrowserCookies; languages: Languages }

type OwnerOf = (req: Request) => Promise<PageOwner | EndedSession | undefined>

export const brandErrors =
  (ownerOf: OwnerOf): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const owner = await ownerOf(req).catch(() => undefined) // the store may be down
    if (owner) keepErrorBrand(res, (translator) => ownedErrorLocals(owner, error, translator))
    next(error)
  }

export function ownedErrorLocals(owner: PageOwner | EndedSession, error: unknown, translator: Translator) {
  const { tenant, integration } = owner
  const code = error instanceof Failure && !error.more.variant ? error.code : undefined
  const why = 'why' in owner && code === 'connect_ended' ? owner.why : undefined
  // The signed return URL says that the session has ended.
  const returnUrl = 'why' in owner && why === undefined ? undefined : owner.returnUrl
  const name = why ? `ended_${why}` : code === 'connection_limit' && integration ? 'limit_reached' : undefined
  const names = {
    tenant: tenant.displayName,
    app: integration?.displayName ?? '',
    limit: tenant.maxConnectionsPerUser,
  }
  const words = (part: string) => translator.t(`error.${name}.${part}`, names)
  return {
    ...brandLocals(tenant, translator),
    ...(integration && { icons: { app: appIcon(integration), tenant: tenantIcon(tenant) } }),
    ...(why && { kind: why === 'connected' ? 'success' : 'neutral', requestId: undefined }),
    ...(name && { title: words('title'), detail: words('detail'), advice: words('advice') }),
    nextPage: wayBack(tenant, returnUrl, translator),
  }
}
