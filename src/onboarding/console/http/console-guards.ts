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
import type { ConsoleDeps, Ports } from '../../domain/ports/ports.ts'
import type { Caller } from '../../domain/tenant.ts'
import { noteRefusal } from '../../flows/note-refusal.ts'
import { endSession, isStillAuthorized } from '../flows/console-sign-in.ts'
import { destroySession, wasSignedIn } from './console-session.ts'

type SignedInParts = { ports: ConsoleDeps['ports']; console: ConsoleDeps['settings'] }

export const signedInOnly =
  ({ ports, console }: SignedInParts, https: boolean): RequestHandler =>
  async (req, res, next) => {
    const { signedIn } = req.session
    if (
      signedIn &&
      !isOver(signedIn, new Date()) &&
      (await isStillAuthorized(ports, console, req.sessionID, signedIn))
    ) {
      return next()
    }
    if (signedIn) {
      await endSession(ports, req.sessionID, signedIn)
      await destroySession(req, res, https)
    }
    if (req.method !== 'GET') throw new Failure('sign_in_needed', 'Your console session has expired.')
    const ended = wasSignedIn(req, https) ? '&ended' : ''
    res.redirect(303, `/support/sign-in?next=${encodeURIComponent(req.originalUrl)}${ended}`)
  }

export const sessionOf = (req: Request): ConsoleSession => req.session.signedIn as ConsoleSession

export const readMethods = ['GET', 'HEAD']

export const knownMethodsOnly: RequestHandler = (req, res, next) => {
  const known = [...readMethods, 'POST']
  if (!known.includes(req.method)) {
    res.set('Allow', known.join(', '))
    throw new Failure('method_not_allowed', 'Console pages only support GET, HEAD and POST.')
  }
  next()
}

/** Requires the role and a sign-in within the last 15 minutes. */
export const actAs =
  (needed: ConsoleRole, ports: Ports): RequestHandler =>
  async (req, res, next) => {
    const session = sessionOf(req)
    if (!mayActAs(session.user.role, needed)) {
      await noteRefusal(ports, roleMissing(req, res, needed))
      throw new Failure('role_missing', `This requires the role ${needed}. Yours is ${session.user.role}.`)
    }
    if (isAuthTimeUnknown(session)) throw authTimeUnknown()
    if (!hasRecentAuth(session, new Date()))
      throw new Failure('sign_in_stale', 'You signed in more than 15 minutes ago.')
    next()
  }

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

export const askerOf = (req: Request, res: Response) => ({ caller: supportCaller(req), actor: supportActor(req, res) })

/** Console users see all tenants. */
export const supportCaller = (req: Request): Caller => ({ keyId: sessionOf(req).user.subject, tenant: undefined })
