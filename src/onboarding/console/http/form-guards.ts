// What a form of the console has to be before anything is done with it.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { partsOf, readMultipart } from '../../../kit/http/multipart.ts'
import type { ConsoleSession } from '../../domain/console.ts'
import { Failure } from '../../domain/failure.ts'
import type { SharedFlows } from '../../flows/shared-flows.ts'
import { isFromOurPages } from '../../http/guards.ts'
import { readMethods, supportActor } from './console-guards.ts'

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
    const { token, formId } = readFormToken(csrf)
    if (!ours || !isSameToken(token, req.session.signedIn?.formToken)) {
      const actor = supportActor(req, res)
      const subject = actor.id === undefined ? undefined : { kind: 'console_user' as const, id: actor.id }
      await noteRefusal({ action: 'csrf.rejected', actor, subject, facts: { refusal: ours ? 'token' : 'origin' } })
      throw new Failure('origin_foreign', 'This form was not sent from your console session.')
    }
    req.body = fields
    res.locals.formId = formId
    next()
  }

/** The session's token, which shows whose form it is, and an ID of the page, which shows that it comes again. */
export const newFormToken = ({ formToken }: ConsoleSession): string =>
  `${formToken}.${randomBytes(12).toString('base64url')}`

/** Whether a page of ours can have had it, in whichever session. */
export const isFormToken = (given: unknown): boolean => readFormToken(given).token !== undefined

const readFormToken = (given: unknown) => {
  const [, token, formId] = (typeof given === 'string' && /^([\w-]+)\.([\w-]{16})$/.exec(given)) || []
  return { token, formId }
}

function isSameToken(given: string | undefined, expected: string | undefined): boolean {
  if (!given || !expected) return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
