import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { connectEnded } from '../../../domain/connect-session.ts'
import { Failure } from '../../../domain/failure.ts'
import { browserActor, sameOriginOnly } from '../../../http/guards.ts'
import { renderPage } from '../../../http/languages.ts'
import { IntegrationId } from '../../../http/schemas.ts'
import { cancelLink, leaveChoice } from '../../flows/cancel-link.ts'
import { endedSession, returnBrowser, staysHere } from '../../flows/return-browser.ts'
import type { ConnectChoice, ConnectOffer } from '../../flows/show-connect-page.ts'
import { showConnectPage } from '../../flows/show-connect-page.ts'
import { noteForeignConsent, startLink } from '../../flows/start-link.ts'
import { connectLocals, type SentInputs } from '../locals/connect.ts'
import { pickerLocals } from '../locals/picker.ts'
import { type BrowserPages, brandErrors } from '../page-owners.ts'
import { redirectPages, returnPages } from './redirect.ts'

const Inputs = z.record(z.string(), z.string().max(1_000).catch(''))

const form = express.urlencoded({ extended: false, limit: '8kb', parameterLimit: 20, inflate: false })

const Token = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

const PickerQuery = z.object({
  q: z.string().max(100).catch(''),
  page: z.coerce.number().int().min(1).max(100).catch(1),
})

const appOf = ({ app }: Record<string, unknown>): string | undefined => IntegrationId.safeParse(app).data

/** A malformed token gets the same response as an unknown one. */
function tokenOf(params: Record<string, unknown>): string {
  const parsed = Token.safeParse(params.token)
  if (!parsed.success) throw connectEnded()
  return parsed.data
}

export const connectPages = ({ ports, settings, cookies, languages }: BrowserPages) => {
  const leave = redirectPages('redirect.lead')
  const returnToTenant = returnPages()
  const note = (req: Request, res: Response) =>
    noteForeignConsent(ports, { token: String(req.params.token), actor: browserActor(req, res) })
  const sameOrigin = sameOriginOnly({ publicUrl: settings.publicUrl, note })
  const show = (req: Request, res: Response, offer: ConnectOffer | ConnectChoice, sent?: SentInputs) => {
    const { locale } = offer.session.endUser
    if (locale !== undefined) cookies.keepLocale(res, locale)
    const translator = languages.forVisitor(req, locale)
    if ('items' in offer) {
      const locals = pickerLocals(offer, PickerQuery.parse(req.query), translator)
      return renderPage(res, 'onboarding/picker', translator, locals)
    }
    renderPage(res, 'onboarding/connect', translator, connectLocals(offer, translator, sent))
  }
  const start = async (req: Request, res: Response) => {
    const browsers = cookies.digests(req)
    const inputs = Inputs.parse(req.body ?? {})
    const actor = browserActor(req, res)
    const request = { token: tokenOf(req.params), app: appOf(req.query), browsers, actor, inputs }
    const opened = (linkId: string, browser: string) => cookies.give(req, res, linkId, browser)
    const started = await startLink(ports, settings, { ...request, opened }).catch(async (error) => {
      if (!(error instanceof Failure) || error.code !== 'input_invalid') throw error
      res.status(422)
      show(req, res, await showConnectPage(ports, request), { inputs, errors: error.more.errors })
    })
    if (!started) return
    if (!started.browser) cookies.renew(req, res, started.linkId)
    // Not a redirect: form-action covers the whole redirect chain, with URLs that our policy cannot list.
    res.setHeader('Refresh', `0; url=${started.url}`)
    await leave(res, started, languages.forVisitor(req, started.locale))
  }
  const cancel = async (req: Request, res: Response) => {
    const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
    const [token, app] = [tokenOf(req.params), appOf(req.query)]
    const left = app === undefined ? await leaveChoice(ports, { token, ...asker }) : undefined
    if (left) return returnToTenant(res, left, languages.forVisitor(req, left.locale))
    const { link, browser, tenant } = await cancelLink(ports, settings, { token, app, ...asker })
    if (browser) cookies.give(req, res, link.id, browser)
    else cookies.renew(req, res, link.id)
    const url = await returnBrowser(ports, settings, link, asker.actor)
    if (staysHere(url)) return res.redirect(303, url)
    await returnToTenant(res, { url, tenant }, languages.forVisitor(req, link.endUser.locale))
  }
  return exactRouter()
    .get('/connect/:token', async (req, res) => {
      const browsers = cookies.digests(req)
      const request = { token: tokenOf(req.params), app: appOf(req.query), browsers, actor: browserActor(req, res) }
      show(req, res, await showConnectPage(ports, request))
    })
    .post('/connect/:token', sameOrigin, form, (req, res) =>
      'cancel' in req.query ? cancel(req, res) : start(req, res),
    )
    .use(
      '/connect/:token',
      brandErrors((req) => endedSession(ports, String(req.params.token))),
    )
}
