import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { visitor } from '../../../../kit/http/visitor.ts'
import { attemptSeconds, pageOfConsole, type SignInAttempt } from '../../../domain/console.ts'
import { Failure } from '../../../domain/failure.ts'
import { limitRate } from '../../../flows/limit-rate.ts'
import { limitVisitors } from '../../../http/guards.ts'
import { beginSignIn, endSession, finishSignIn, rememberSession } from '../../flows/console-sign-in.ts'
import { supportActor } from '../console-guards.ts'
import { forgetSignedIn, markSignedIn, regenerateSession, saveSession } from '../console-session.ts'
import type { PageParts } from '../page-parts.ts'

/** The issuer's response: unique parameters, limited in number and length. */
const Answer = z
  .record(z.string().max(100), z.string().max(4_096))
  .refine((query) => Object.keys(query).length <= 20 && query.state !== undefined)

export function signInPages({ ports, settings: { publicUrl, rates }, console }: PageParts) {
  const https = publicUrl.startsWith('https:')
  return exactRouter()
    .use(['/sign-in', '/callback', '/signed-out'], limitVisitors({ ports, rates }))
    .get('/sign-in', (req, res) => {
      // On the host of the redirect URI, because the cookie of another host would not be sent.
      const start = `${publicUrl}/support/sign-in/start?next=${encodeURIComponent(pageOfConsole(req.query.next))}`
      if (req.query.ended === undefined) return res.redirect(303, start)
      forgetSignedIn(res, https)
      res.render('onboarding/support/sign-in', { start })
    })
    .get('/sign-in/start', async (req, res) => {
      await limitRate(ports, rates.signIn, visitor(req.ip))
      const again = req.query.again !== undefined && req.session.signedIn !== undefined
      const { url, attempt } = await beginSignIn(ports, { next: pageOfConsole(req.query.next), again })
      req.session.attempt = attempt
      await saveSession(req)
      res.redirect(303, url)
    })
    .get('/callback', async (req, res) => {
      const query = Answer.safeParse(req.query).data
      const attempt = await takeAttempt(req)
      if (!query || !attempt) throw new Failure('sign_in_failed', 'This sign-in has expired. Please start again.')
      const signedIn = await finishSignIn(ports, console, { query, attempt, actor: supportActor(req, res) })
      const before = req.session.signedIn
      if (before) await endSession(ports, req.sessionID, before)
      await regenerateSession(req)
      req.session.signedIn = signedIn.session
      markSignedIn(res, https)
      await rememberSession(ports, { ...signedIn, sessionId: req.sessionID })
      await saveSession(req)
      res.redirect(303, attempt.next)
    })
    .get('/signed-out', (_req, res) => {
      res.render('onboarding/support/signed-out')
    })
}

/** Undefined if the attempt is missing or expired. Each attempt can be used once. */
async function takeAttempt(req: Request): Promise<SignInAttempt | undefined> {
  const { attempt } = req.session
  if (!attempt) return undefined
  delete req.session.attempt
  await saveSession(req)
  return Date.now() - attempt.startedAt <= attemptSeconds * 1_000 ? attempt : undefined
}
