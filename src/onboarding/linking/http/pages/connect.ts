import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { connectEnded } from '../../../domain/connect-session.ts'
import { browserActor, sameOriginOnly } from '../../../http/guards.ts'
import { type Languages, renderPage } from '../../../http/languages.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'
import type { BrowserCookies } from '../browser-cookies.ts'
import { connectLocals } from '../locals/connect.ts'
import { redirectPages } from './redirect.ts'

const Token = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** A malformed token gets the same response as an unknown one. */
function tokenOf(params: Record<string, unknown>): string {
  const parsed = Token.safeParse(params.token)
  if (!parsed.success) throw connectEnded()
  return parsed.data
}

export type ConnectPages = {
  flows: Pick<LinkingFlows, 'showConnectPage' | 'startLink' | 'cancelLink' | 'returnBrowser' | 'noteForeignConsent'>
  cookies: BrowserCookies
  languages: Languages
  publicUrl: string
}

export const connectPages = ({ flows, cookies, languages, publicUrl }: ConnectPages) => {
  const leave = redirectPages('redirect.lead')
  const goBack = redirectPages('redirect.backLead')
  const note = (req: Request, res: Response) =>
    flows.noteForeignConsent({ token: String(req.params.token), actor: browserActor(req, res) })
  const sameOrigin = sameOriginOnly({ publicUrl, note })
  return exactRouter()
    .get('/connect/:token', async (req, res) => {
      const browsers = cookies.digests(req)
      const offer = await flows.showConnectPage({ token: tokenOf(req.params), browsers, actor: browserActor(req, res) })
      const { locale } = offer.session.endUser
      if (locale !== undefined) cookies.keepLocale(res, locale)
      const translator = languages.forVisitor(req, locale)
      const cancel = `/connect/${req.params.token}/cancel`
      const locals = { ...connectLocals(offer, translator), cancel, requestId: requestIdOf(res) }
      renderPage(res, 'onboarding/connect', translator, locals)
    })
    .post('/connect/:token', sameOrigin, async (req, res) => {
      const browsers = cookies.digests(req)
      const started = await flows.startLink({ token: tokenOf(req.params), browsers, actor: browserActor(req, res) })
      if (started.browser) cookies.give(req, res, started.linkId, started.browser)
      else cookies.renew(req, res, started.linkId)
      // Not a redirect: form-action covers the whole chain of redirects that a form starts, and a provider that
      // approves at once would carry it on to addresses no policy of ours can list.
      res.setHeader('Refresh', `0; url=${started.url}`)
      await leave(res, started.url, languages.forVisitor(req, started.locale))
    })
    .post('/connect/:token/cancel', sameOrigin, async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const { link, browser } = await flows.cancelLink({ token: tokenOf(req.params), ...asker })
      if (browser) cookies.give(req, res, link.id, browser)
      else cookies.renew(req, res, link.id)
      const url = await flows.returnBrowser(link, asker.actor)
      if (link.returnUrl === undefined) return res.redirect(303, url)
      // A page and not a redirect, as at the start: the tenant's site is not in our form-action either.
      res.setHeader('Refresh', `0; url=${url}`)
      await goBack(res, url, languages.forVisitor(req, link.endUser.locale))
    })
}
