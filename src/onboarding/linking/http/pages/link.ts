import type { Request, Response } from 'express'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { statusOf } from '../../../domain/link.ts'
import { browserActor, sameOriginOnly } from '../../../http/guards.ts'
import { renderPage } from '../../../http/languages.ts'
import { cancelConsent, consentAgain, followLink } from '../../flows/follow-link.ts'
import { linkPageOwner } from '../../flows/page-owner.ts'
import { returnBrowser, staysHere } from '../../flows/return-browser.ts'
import { noteForeignConsent, startLink } from '../../flows/start-link.ts'
import { linkLocals } from '../locals/link.ts'
import { type BrowserPages, brandErrors } from '../page-owners.ts'
import { redirectPages, returnPages } from './redirect.ts'

export const linkPages = ({ ports, settings, cookies, languages }: BrowserPages) => {
  const leave = redirectPages('redirect.lead')
  const returnToTenant = returnPages()
  const note = (req: Request, res: Response) =>
    noteForeignConsent(ports, { linkId: String(req.params.id), actor: browserActor(req, res) })
  return exactRouter()
    .get('/links/:id', async (req, res) => {
      const followed = await followLink(ports, { linkId: req.params.id, browsers: cookies.digests(req) })
      cookies.renew(req, res, followed.link.id)
      // The script polls with ?live, must not leave the site, and reloads the page after the end.
      const isOver = statusOf(followed.link.state) !== 'pending'
      if (isOver && followed.link.returnUrl !== undefined && req.query.live === undefined) {
        const url = await returnBrowser(ports, settings, followed.link, browserActor(req, res))
        if (!staysHere(url)) return res.redirect(303, url)
      }
      const translator = languages.forVisitor(req, followed.link.endUser.locale)
      const locals = linkLocals(followed, translator)
      renderPage(res, 'onboarding/link', translator, locals)
    })
    .get('/links/:id/consent', async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const url = await consentAgain(ports, settings, { linkId: req.params.id, ...asker })
      cookies.renew(req, res, req.params.id)
      res.redirect(303, url)
    })
    .post('/links/:id/cancel', sameOriginOnly({ publicUrl: settings.publicUrl, note }), async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const { link, tenant } = await cancelConsent(ports, { linkId: String(req.params.id), ...asker })
      const url = await returnBrowser(ports, settings, link, asker.actor)
      if (staysHere(url)) return res.redirect(303, url)
      await returnToTenant(res, { url, tenant }, languages.forVisitor(req, link.endUser.locale))
    })
    .post('/links/:id/again', sameOriginOnly({ publicUrl: settings.publicUrl, note }), async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const { locale, ...way } = await startLink(ports, settings, {
        linkId: String(req.params.id),
        ...asker,
        opened: (linkId, browser) => cookies.give(req, res, linkId, browser),
      })
      res.setHeader('Refresh', `0; url=${way.url}`)
      await leave(res, way, languages.forVisitor(req, locale))
    })
    .use(
      '/links/:id',
      brandErrors((req) => linkPageOwner(ports, { linkId: String(req.params.id), browsers: cookies.digests(req) })),
    )
}
