import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { visitor } from '../../../../kit/http/visitor.ts'
import { attemptSeconds, pageOfConsole, type SignInAttempt } from '../../../domain/console.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Rates } from '../../../domain/rate-limit.ts'
import type { SharedFlows } from '../../../flows/shared-flows.ts'
import { limitVisitors } from '../../../http/guards.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { supportActor } from '../console-guards.ts'
import { regenerateSession, saveSession } from '../console-session.ts'

export type SignInPages = {
  flows: Pick<SharedFlows, 'limitRate'>
  console: ConsoleFlows
  rates: Rates
  publicUrl: string
}

/** The issuer's response: no parameter twice, and limited in number and length. */
const Answer = z
  .record(z.string().max(100), z.string().max(4_096))
  .refine((query) => Object.keys(query).length <= 20 && query.state !== undefined)

/** For people who are not signed in, or have to sign in again. */
export const signInPages = ({ flows, console, rates, publicUrl }: SignInPages) =>
  exactRouter()
    .use(['/sign-in', '/callback', '/signed-out'], limitVisitors({ limitRate: flows.limitRate, rates }))
    .get('/sign-in', (req, res) => {
      // At the host that the issuer sends people back to: the cookie of another one would not come along.
      const start = `${publicUrl}/support/sign-in/start?next=${encodeURIComponent(pageOfConsole(req.query.next))}`
      res.render('onboarding/support/sign-in', { start, requestId: requestIdOf(res) })
    })
    .get('/sign-in/start', async (req, res) => {
      await flows.limitRate(rates.signIn, visitor(req.ip))
      const again = req.query.again !== undefined && req.session.signedIn !== undefined
      const { url, attempt } = await console.beginSignIn({ next: pageOfConsole(req.query.next), again })
      req.session.attempt = attempt
      await saveSession(req)
      res.redirect(303, url)
    })
    .get('/callback', async (req, res) => {
      const query = Answer.safeParse(req.query).data
      const attempt = await takeAttempt(req)
      if (!query || !attempt) throw new Failure('sign_in_failed', 'This sign-in has expired. Please start again.')
      const signedIn = await console.finishSignIn({ query, attempt, actor: supportActor(req, res) })
      const before = req.session.signedIn
      if (before) await console.endSession(req.sessionID, before)
      await regenerateSession(req)
      req.session.signedIn = signedIn.session
      await console.rememberSession({ ...signedIn, sessionId: req.sessionID })
      await saveSession(req)
      res.redirect(303, attempt.next)
    })
    .get('/signed-out', (_req, res) => {
      res.render('onboarding/support/signed-out', { requestId: requestIdOf(res) })
    })

/** Returns undefined if there is no attempt or it has expired. Each can be used once. */
async function takeAttempt(req: Request): Promise<SignInAttempt | undefined> {
  const { attempt } = req.session
  if (!attempt) return undefined
  delete req.session.attempt
  await saveSession(req)
  return Date.now() - attempt.startedAt <= attemptSeconds * 1_000 ? attempt : undefined
}
