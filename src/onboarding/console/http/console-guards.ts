// Guards of the support console's pages.
import { timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { partsOf, readMultipart } from '../../../kit/http/multipart.ts'
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
import { isFromOurPages } from '../../http/guards.ts'
import type { ConsoleFlows } from '../flows/console-flows.ts'
import { destroySession } from './console-session.ts'

type Needs = { console: Pick<ConsoleFlows, 'isStillAuthorized' | 'endSession'>; https: boolean }

/** Sends everyone else to sign in. A form they sent is lost, and the error page says so. */
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

const readMethods = ['GET', 'HEAD']

export const knownMethodsOnly: RequestHandler = (req, res, next) => {
  const known = [...readMethods, 'POST']
  if (!known.includes(req.method)) {
    res.set('Allow', known.join(', '))
    throw new Failure('method_not_allowed', 'Pages of the console take GET, HEAD and POST only.')
  }
  next()
}

/** Addresses of forms that carry a file. */
const uploads = /^\/tenants\/[^/]+\/logos\/[a-z]+$/

/** Accepts form bodies only, so that no other kind of request can pass for one. */
export const formsOnly: RequestHandler = (req, _res, next) => {
  const kind = uploads.test(req.path) ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  if (req.method === 'POST' && !req.is(kind)) {
    throw new Failure('content_type_unsupported', 'The request was not sent by a form of the console.')
  }
  next()
}

/** Puts a form with a file where other forms are. The guards behind it see the same texts. */
export const uploadedForms: RequestHandler[] = [
  readMultipart('1mb'),
  async (req, _res, next) => {
    if (!Buffer.isBuffer(req.body)) return next()
    const upload = await partsOf(req)
    if (!upload) throw new Failure('body_unreadable', 'The form did not arrive whole.')
    req.body = { ...upload.fields, ...upload.files }
    next()
  },
]

type FormGuardNeeds = { publicUrl: string; noteRefusal: SharedFlows['noteRefusal'] }

/** A form must come from our origin and carry this session's CSRF token. */
export const ownFormsOnly =
  ({ publicUrl, noteRefusal }: FormGuardNeeds): RequestHandler =>
  async (req, res, next) => {
    if (readMethods.includes(req.method)) return next()
    const { csrf, ...fields } = req.body ?? {}
    const ours = isFromOurPages(req, publicUrl)
    if (!ours || !isSameToken(csrf, req.session.signedIn?.formToken)) {
      const actor = supportActor(req, res)
      const subject = actor.id === undefined ? undefined : { kind: 'console_user' as const, id: actor.id }
      await noteRefusal({ action: 'csrf.rejected', actor, subject, facts: { refusal: ours ? 'token' : 'origin' } })
      throw new Failure('origin_foreign', 'This form was not sent from your console session.')
    }
    req.body = fields
    next()
  }

function isSameToken(given: unknown, expected: string | undefined): boolean {
  if (typeof given !== 'string' || !expected) return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
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
    if (!hasRecentAuth(session, new Date())) {
      throw new Failure('sign_in_stale', 'You signed in more than 15 minutes ago.')
    }
    next()
  }

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
