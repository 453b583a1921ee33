import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { connectEnded } from '../../../domain/connect-session.ts'
import { Failure } from '../../../domain/failure.ts'
import { browserActor, sameOriginOnly } from '../../../http/guards.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'
import type { BrowserCookies } from '../browser-cookies.ts'
import { connectLocals } from '../locals/connect.ts'
import { redirectPages } from './redirect.ts'

/** Fields of the form; what is no text counts as nothing. */
const Inputs = z.record(z.string(), z.string().max(1_000).catch(''))

const form = express.urlencoded({ extended: false, limit: '8kb', parameterLimit: 20, inflate: false })

const Token = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** A malformed token gets the same response as an unknown one. */
function tokenOf(params: Record<string, unknown>): string {
  const parsed = Token.safeParse(params.token)
  if (!parsed.success) throw connectEnded()
  return parsed.data
}

export type ConnectPages = {
  flows: Pick<LinkingFlows, 'showConnectPage' | 'startLink' | 'noteForeignConsent'>
  cookies: BrowserCookies
  publicUrl: string
}

export const connectPages = ({ flows, cookies, publicUrl }: ConnectPages) => {
  const leave = redirectPages()
  const note = (req: Request, res: Response) =>
    flows.noteForeignConsent({ token: String(req.params.token), actor: browserActor(req, res) })
  return exactRouter()
    .get('/connect/:token', async (req, res) => {
      const browsers = cookies.digests(req)
      const offer = await flows.showConnectPage({ token: tokenOf(req.params), browsers, actor: browserActor(req, res) })
      res.render('onboarding/connect', { ...connectLocals(offer), requestId: requestIdOf(res) })
    })
    .post('/connect/:token', sameOriginOnly({ publicUrl, note }), form, async (req, res) => {
      const browsers = cookies.digests(req)
      const request = { token: tokenOf(req.params), browsers, actor: browserActor(req, res) }
      const inputs = Inputs.parse(req.body ?? {})
      const started = await flows.startLink({ ...request, inputs }).catch(async (error) => {
        if (!(error instanceof Failure) || error.code !== 'input_invalid') throw error
        const offer = await flows.showConnectPage(request)
        const locals = connectLocals(offer, { inputs, errors: error.more.errors })
        res.status(400).render('onboarding/connect', { ...locals, requestId: requestIdOf(res) })
      })
      if (!started) return
      if (started.browser) cookies.give(req, res, started.linkId, started.browser)
      else cookies.renew(req, res, started.linkId)
      // Not a redirect: form-action covers the whole chain of redirects that a form starts, and a provider that
      // approves at once would carry it on to addresses no policy of ours can list.
      res.setHeader('Refresh', `0; url=${started.url}`)
      await leave(res, started.url)
    })
}
