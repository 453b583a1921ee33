import type { Request, Response } from 'express'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { statusOf } from '../../../domain/link.ts'
import { browserActor, sameOriginOnly } from '../../../http/guards.ts'
import { type Languages, renderPage } from '../../../http/languages.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'
import type { BrowserCookies } from '../browser-cookies.ts'
import { linkLocals } from '../locals/link.ts'
import { brandErrors } from '../page-owners.ts'
import { redirectPages, returnPages } from './redirect.ts'

export type LinkPages = {
  flows: Pick<
    LinkingFlows,
    | 'followLink'
    | 'consentAgain'
    | 'cancelConsent'
    | 'returnBrowser'
    | 'startLink'
    | 'noteForeignConsent'
    | 'linkPageOwner'
  >
  cookies: BrowserCookies
  languages: Languages
  publicUrl: string
}

/** The progress page, for links that take longer than a redirect should. */
export const linkPages = ({ flows, cookies, languages, publicUrl }: LinkPages) => {
  const leave = redirectPages('redirect.lead')
  const returnToTenant = returnPages()
  const note = (req: Request, res: Response) =>
    flows.noteForeignConsent({ linkId: String(req.params.id), actor: browserActor(req, res) })
  return exactRouter()
    .get('/links/:id', async (req, res) => {
      const followed = await flows.followLink({ linkId: req.params.id, browsers: cookies.digests(req) })
      cookies.renew(req, res, followed.link.id)
      // The script asks with ?live and must not be sent to another site; it reloads the page once this has ended.
      const isOver = statusOf(followed.link.state) !== 'pending'
      if (isOver && followed.link.returnUrl !== undefined && req.query.live === undefined) {
        return res.redirect(303, await flows.returnBrowser(followed.link, browserActor(req, res)))
      }
      const translator = languages.forVisitor(req, followed.link.endUser.locale)
      const locals = { ...linkLocals(followed, translator), requestId: requestIdOf(res) }
      renderPage(res, 'onboarding/link', translator, locals)
    })
    .get('/links/:id/consent', async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const url = await flows.consentAgain({ linkId: req.params.id, ...asker })
      // The second consent may take as long as the first.
      cookies.renew(req, res, req.params.id)
      res.redirect(303, url)
    })
    .post('/links/:id/cancel', sameOriginOnly({ publicUrl, note }), async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const { link, tenant } = await flows.cancelConsent({ linkId: String(req.params.id), ...asker })
      const url = await flows.returnBrowser(link, asker.actor)
      if (link.returnUrl === undefined) return res.redirect(303, url)
      await returnToTenant(res, { url, tenant }, languages.forVisitor(req, link.endUser.locale))
    })
    .post('/links/:id/again', sameOriginOnly({ publicUrl, note }), async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const { linkId, browser, locale, ...way } = await flows.startLink({ linkId: String(req.params.id), ...asker })
      if (browser) cookies.give(req, res, linkId, browser)
      // A page and not a redirect, as at the first start.
      res.setHeader('Refresh', `0; url=${way.url}`)
      await leave(res, way, languages.forVisitor(req, locale))
    })
    .use(
      '/links/:id',
      brandErrors((req) => flows.linkPageOwner({ linkId: String(req.params.id), browsers: cookies.digests(req) })),
    )
}
