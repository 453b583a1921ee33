// A form whose sender has to sign in first. Nothing of it is stored: the answer has what was typed, and sends it to its
// page once more, where it stands filled in. Only that page has the token of the new session, so nothing is done before
// a person has sent the form from there.
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { hasRecentAuth, isAuthTimeUnknown } from '../../domain/console.ts'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import { isFromOurPages } from '../../http/guards.ts'
import { answerHeaders } from '../../http/problem.ts'
import { notRecentlySignedIn, sessionOf } from './console-guards.ts'
import { isFormToken } from './form-guards.ts'
import { placeOfForm } from './form-places.ts'
import { keptFormLocals } from './locals/kept-form.ts'
import { keepReturnedForm, unsentForm, withoutSecrets } from './locals/returned-form.ts'
import { visitTo } from './returned-forms.ts'

const path = '/form-again'

// More than any form of the console: what was typed is written in a longer way here.
const readForm = express.urlencoded({ extended: false, limit: '256kb', inflate: false })

/** `action`: where the form is sent to. */
const KeptForm = z.strictObject({
  action: z.string().regex(/^\/support\/[\w/.%~-]+$/),
  sent: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
})
type KeptForm = z.infer<typeof KeptForm>

/** The token of a form is that of one session: a form that was opened in an earlier one is foreign to this one. */
const keptAfter: readonly FailureCode[] = ['sign_in_needed', 'sign_in_stale', 'origin_foreign']

/** Forms of other sites are not kept: what they hold must not come up as if it were typed here. */
export const keptForms =
  ({ publicUrl }: { publicUrl: string }): ErrorRequestHandler =>
  (error, req, res, next) => {
    const comesBack = error instanceof Failure && keptAfter.includes(error.code) && req.method === 'POST'
    if (!comesBack || res.headersSent || !isFromOurPages(req, publicUrl)) return next(error)
    // Who is not signed in was refused before their form was read.
    readForm(req, res, (unreadable: unknown) => {
      const form = unreadable ? undefined : sentForm(req, res)
      if (!form) return next(error)
      answerKept(res, error, form)
    })
  }

function answerKept(res: Response, failure: Failure, form: KeptForm): void {
  answerHeaders(res, failure)
  const locals = keptFormLocals(failure, requestIdOf(res))
  res.render('onboarding/support/form-kept', { ...locals, action: `/support${path}`, form: JSON.stringify(form) })
}

/** Undefined for what no page of ours has sent, for what has no page, such as signing out, and for a form with a file. */
function sentForm(req: Request, res: Response): KeptForm | undefined {
  if (req.path === path) return keptForm(req)
  const { csrf, ...sent } = req.body ?? {}
  if (!placeOfForm(req.path, sent) || !(isFormToken(csrf) || res.locals.formId)) return undefined
  return KeptForm.safeParse({ action: `${req.baseUrl}${req.path}`, sent: withoutSecrets(sent) }).data
}

function keptForm(req: Request): KeptForm | undefined {
  try {
    return KeptForm.safeParse(JSON.parse(req.body.form)).data
  } catch {
    return undefined
  }
}

/** The page of the form, filled in. Carries no token and needs none: it changes nothing. */
export const keptFormPages = ({ pages, publicUrl }: { pages: Router; publicUrl: string }) =>
  exactRouter()
    .post(path, readForm, (req, res, next) => {
      const session = sessionOf(req)
      if (!isFromOurPages(req, publicUrl)) throw new Failure('origin_foreign', 'This form is not of the console.')
      if (!isAuthTimeUnknown(session) && !hasRecentAuth(session, new Date())) throw notRecentlySignedIn()
      const form = keptForm(req)
      const place = form && placeOfForm(form.action.replace('/support', ''), form.sent)
      if (!place) throw new Failure('body_unreadable', 'The form did not arrive whole.')
      keepReturnedForm(res, unsentForm(form))
      pages(visitTo(place.page, req), res, next)
    })
    .get('/signed-in', (_req, res) => {
      res.render('onboarding/support/signed-in', { requestId: requestIdOf(res) })
    })
