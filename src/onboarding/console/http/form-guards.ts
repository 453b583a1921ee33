import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { partsOf, readMultipart } from '../../../kit/http/multipart.ts'
import type { ConsoleSession } from '../../domain/console.ts'
import { Failure } from '../../domain/failure.ts'
import type { ConsoleDeps, Ports } from '../../domain/ports/ports.ts'
import { noteRefusal } from '../../flows/note-refusal.ts'
import { isFromOurPages } from '../../http/guards.ts'
import { readMethods, supportActor } from './console-guards.ts'

const uploads = /^\/tenants\/[^/]+\/logos\/[a-z]+$/

export const formsOnly: RequestHandler = (req, _res, next) => {
  const kind = uploads.test(req.path) ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  if (req.method === 'POST' && !req.is(kind)) {
    throw new Failure('content_type_unsupported', 'The request was not sent by a form of the console.')
  }
  next()
}

/** Parses a form with a file into the same body as other forms. */
export const uploadedForms: RequestHandler[] = [
  readMultipart('1mb'),
  async (req, _res, next) => {
    if (!Buffer.isBuffer(req.body)) return next()
    const upload = await partsOf(req)
    if (!upload) throw new Failure('body_unreadable', 'The form was not received completely.')
    req.body = { ...upload.fields, ...upload.files }
    next()
  },
]

/** A form must come from our origin and have this session's CSRF token. */
export const ownFormsOnly =
  (ports: Ports, publicUrl: string): RequestHandler =>
  async (req, res, next) => {
    if (readMethods.includes(req.method)) return next()
    const { csrf, ...fields } = req.body ?? {}
    const ours = isFromOurPages(req, publicUrl)
    const [, token, formId] = (typeof csrf === 'string' && /^([\w-]+)\.([\w-]{16})$/.exec(csrf)) || []
    if (!ours || !isSameToken(token, req.session.signedIn?.formToken)) {
      const actor = supportActor(req, res)
      const subject = actor.id === undefined ? undefined : { kind: 'console_user' as const, id: actor.id }
      const facts = { refusal: ours ? ('token' as const) : ('origin' as const) }
      await noteRefusal(ports, { action: 'csrf.rejected', actor, subject, facts })
      throw new Failure('origin_foreign', 'This form was not sent from your current console session.')
    }
    req.body = fields
    res.locals.formId = formId
    next()
  }

/** The session's CSRF token and a page ID, which identifies repeated forms. */
export const newFormToken = ({ formToken }: ConsoleSession): string =>
  `${formToken}.${randomBytes(12).toString('base64url')}`

/**
 * For forms that create something whose secret is shown once: a reload or double click would create a second one. The
 * page comes back with a new token, so the form can be sent again.
 */
export const firstSubmissionOnly =
  ({ consoleSessions }: Pick<ConsoleDeps['ports'], 'consoleSessions'>): RequestHandler =>
  async (req, res, next) => {
    // A page has several forms with the same token.
    const form = `${req.baseUrl}${req.path} ${res.locals.formId}`
    if (await consoleSessions.claimForm(req.sessionID, form)) return next()
    throw new Failure('form_repeated', 'Nothing was done a second time.')
  }

function isSameToken(given: string | undefined, expected: string | undefined): boolean {
  if (!given || !expected) return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
