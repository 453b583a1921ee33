// Guards of the support console's pages.
import type { Request, RequestHandler, Response } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import {
  authTimeUnknown,
  type ConsoleRole,
  type ConsoleSession,
  hasRecentAuth,
  isAuthTimeUnknown,
  isOver,
  mayActAs,
} from '../../domain/console.ts'
import { Failure } from '../../domain/failure.ts'
import type { Caller } from '../../domain/tenant.ts'
import type { SharedFlows } from '../../flows/shared-flows.ts'
import type { ConsoleFlows } from '../flows/console-flows.ts'
import { destroySession } from './console-session.ts'

type Needs = { console: Pick<ConsoleFlows, 'isStillAuthorized' | 'endSession'>; https: boolean }

/** Sends everyone else to sign in. A form they sent is kept on the page that says so (kept-forms.ts). */
export const signedInOnly =
  ({ console, https }: Needs): RequestHandler =>
  async (req, res, next) => {
    const { signedIn } = req.session
    if (signedIn && !isOver(signedIn, new Date()) && (await console.isStillAuthorized(req.sessionID, signedIn))) {
      return next()
    }
    if (signedIn) {
      await console.endSession(req.sessionID, signedIn)
      await destroySession(req, res, https)
    }
    if (req.method !== 'GET') throw new Failure('sign_in_needed', 'Your console session has expired.')
    res.redirect(303, `/support/sign-in?next=${encodeURIComponent(req.originalUrl)}`)
  }

/** Routes behind signedInOnly have one. */
export const sessionOf = (req: Request): ConsoleSession => req.session.signedIn as ConsoleSession

export const readMethods = ['GET', 'HEAD']

export const knownMethodsOnly: RequestHandler = (req, res, next) => {
  const known = [...readMethods, 'POST']
  if (!known.includes(req.method)) {
    res.set('Allow', known.join(', '))
    throw new Failure('method_not_allowed', 'Pages of the console take GET, HEAD and POST only.')
  }
  next()
}

/** For changes: requires the role, and a sign-in within the last 15 minutes. */
export const actAs =
  (needed: ConsoleRole, noteRefusal: SharedFlows['noteRefusal']): RequestHandler =>
  async (req, res, next) => {
    const session = sessionOf(req)
    if (!mayActAs(session.user.role, needed)) {
      await noteRefusal(roleMissing(req, res, needed))
      throw new Failure('role_missing', `This requires the role ${needed}. Yours is ${session.user.role}.`)
    }
    if (isAuthTimeUnknown(session)) throw authTimeUnknown()
    if (!hasRecentAuth(session, new Date())) throw notRecentlySignedIn()
    next()
  }

export const notRecentlySignedIn = () => new Failure('sign_in_stale', 'You signed in more than 15 minutes ago.')

/** What is noted when somebody lacks the role for what they want to do. */
export const roleMissing = (req: Request, res: Response, neededRole: ConsoleRole): EntryOf<'console.denied'> => ({
  action: 'console.denied',
  actor: supportActor(req, res),
  subject: { kind: 'console_user', id: sessionOf(req).user.subject },
  facts: { neededRole },
})

export const supportActor = (req: Request, res: Response): Actor => ({
  kind: 'support',
  id: req.session.signedIn?.user.subject,
  name: req.session.signedIn?.user.email,
  requestId: requestIdOf(res),
  address: req.ip,
})

/** People of the console see every tenant. */
export const supportCaller = (req: Request): Caller => ({ keyId: sessionOf(req).user.subject, tenant: undefined })
