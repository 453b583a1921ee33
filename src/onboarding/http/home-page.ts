import { exactRouter } from '../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { type Languages, renderPage } from './languages.ts'

/** The page at the bare address, for end users who lost their way, tenants' developers and support. */
export const homePage = (languages: Languages, hasConsole: boolean) =>
  exactRouter().get('/', (req, res) => {
    renderPage(res, 'onboarding/home', languages.forError(req), { hasConsole, requestId: requestIdOf(res) })
  })
