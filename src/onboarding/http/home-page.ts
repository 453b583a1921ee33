import { exactRouter } from '../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { type Languages, renderPage } from './languages.ts'

/** For whoever types the bare address: an end user who lost the way, a tenant's developer, support. */
export const homePage = (languages: Languages, hasConsole: boolean) =>
  exactRouter().get('/', (req, res) => {
    renderPage(res, 'onboarding/home', languages.forError(req), { hasConsole, requestId: requestIdOf(res) })
  })
