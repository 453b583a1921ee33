// Pages for people with an account on the platform.
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Caller } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { retryAfter, statusOf } from './control-plane-errors.ts'
import { type FailureLog, logFault, toFailure } from './to-failure.ts'

export type Sessions = {
  user(req: Request, res: Response): Promise<Caller | undefined>
  signInAddress(path: string): string
}

type Answer = (caller: Caller, req: Request, res: Response) => Promise<void>

/** `returnPath`: where a sign-in leads. A form can't be sent again, so it leads to its page. */
export const signedIn =
  (sessions: Sessions, answer: Answer, returnPath = ({ originalUrl }: Request) => originalUrl): RequestHandler =>
  async (req, res) => {
    const caller = await sessions.user(req, res)
    if (!caller) return res.redirect(303, sessions.signInAddress(returnPath(req)))
    await answer({ ...caller, from: { requestId: requestIdOf(res), address: req.ip } }, req, res)
  }

const titles: Record<number, string> = {
  400: 'Invalid request',
  403: "You don't have permission",
  404: 'Page not found',
  503: 'Temporarily unavailable',
}

export const pageErrors =
  (log: FailureLog, inWords = (detail: string) => detail): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const failure = toFailure(error)
    const status = statusOf(failure)
    logFault(log, failure, requestIdOf(res))
    retryAfter(res, failure)
    res.status(status).render('platform/error', {
      title: titles[status] ?? 'Something went wrong',
      detail: inWords(failure.detail),
      requestId: requestIdOf(res),
    })
  }

/** With `Referrer-Policy: no-referrer`, browsers send `Origin: null` for our own forms (Fetch standard). */
export const fromOurPages =
  (publicUrl: string): RequestHandler =>
  (req, _res, next) => {
    const site = req.get('Sec-Fetch-Site')
    const isOurs = site === undefined ? req.get('Origin') === new URL(publicUrl).origin : site === 'same-origin'
    if (!isOurs) throw new Failure('role_missing', 'This form was sent from another site.')
    next()
  }
