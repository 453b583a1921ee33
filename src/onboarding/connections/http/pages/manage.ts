import type { ErrorRequestHandler, Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import { type ManageSession, managePath } from '../../../domain/end-users/manage-session.ts'
import { Failure } from '../../../domain/failure.ts'
import { assertGet, browserActor, isNavigation, sameOriginOnly } from '../../../http/guards.ts'
import { type Languages, renderPage } from '../../../http/languages.ts'
import { type BrowserPages, brandErrors } from '../../../linking/http/page-owners.ts'
import { returnPages } from '../../../linking/http/pages/redirect.ts'
import {
  disconnectOwnConnection,
  endManagePage,
  managedConnection,
  managePageOwner,
  noteForeignForm,
  openManagePage,
  relinkOwnConnection,
  showManagedConnection,
  showManagePage,
} from '../../flows/manage-connections.ts'
import {
  disconnectLocals,
  disconnectResults,
  endedLocals,
  managedLocals,
  manageLocals,
  relinkResults,
} from '../locals/manage.ts'

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

const DisconnectResult = z.enum(disconnectResults).optional().catch(undefined)
const RelinkResult = z.enum(relinkResults).optional().catch(undefined)

const inlineMs = 5_000

export const managePages = ({ ports, settings, cookies, languages }: BrowserPages) => {
  const leave = returnPages('redirect.leaveLead')
  const note = (req: Request, res: Response) =>
    noteForeignForm(ports, { id: String(req.params.id), actor: browserActor(req, res) })
  const sameOrigin = sameOriginOnly({ publicUrl: settings.publicUrl, note })
  const on = (req: Request) => ({ id: String(req.params.id), browsers: cookies.digests(req) })
  const onConnection = (req: Request) => ({ ...on(req), connectionId: String(req.params.connectionId) })
  const show = (req: Request, res: Response, view: string, session: ManageSession, locals: Locals) => {
    const { locale } = session.endUser
    cookies.renew(req, res, session.id)
    if (locale !== undefined) cookies.keepLocale(res, locale)
    const translator = languages.forVisitor(req, locale)
    renderPage(res, view, translator, locals(translator))
  }
  /** Only navigations may open the page, because it belongs to the first browser that opens it. */
  const open = async (req: Request, res: Response) => {
    assertGet(req, res)
    if (!isNavigation(req)) throw new Failure('input_invalid', 'This address must be opened as a page.')
    const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
    const { session, browser } = await openManagePage(ports, { token: String(req.params.id), ...asker })
    if (browser) cookies.give(req, res, session.id, browser)
    res.redirect(303, managePath(session.id))
  }
  return exactRouter()
    .get('/manage/:id', async (req, res) => {
      if (tokenPattern.test(req.params.id)) return open(req, res)
      const page = await showManagePage(ports, { ...on(req), actor: browserActor(req, res) })
      const result = DisconnectResult.parse(req.query.result)
      show(req, res, 'onboarding/manage', page.session, (translator) => manageLocals(page, translator, result))
    })
    .post('/manage/:id/end', sameOrigin, async (req, res) => {
      const page = await endManagePage(ports, { ...on(req), actor: browserActor(req, res) })
      cookies.forget(res, page.session.id)
      const translator = languages.forVisitor(req, page.session.endUser.locale)
      const { returnUrl } = page.session
      if (returnUrl !== undefined) return leave(res, { url: returnUrl, tenant: page.tenant }, translator)
      renderPage(res, 'onboarding/manage/ended', translator, endedLocals(page, translator))
    })
    .get('/manage/:id/connections/:connectionId', async (req, res) => {
      const page = await showManagedConnection(ports, settings, onConnection(req))
      const result = RelinkResult.parse(req.query.result)
      const locals: Locals = (translator) => managedLocals(page, translator, result)
      show(req, res, 'onboarding/manage/connection', page.session, locals)
    })
    .post('/manage/:id/connections/:connectionId/relink', sameOrigin, async (req, res) => {
      const url = await relinkOwnConnection(ports, settings, {
        ...onConnection(req),
        actor: browserActor(req, res),
      }).catch(busyPage(req))
      res.redirect(303, url)
    })
    .get('/manage/:id/connections/:connectionId/disconnect', async (req, res) => {
      const page = await managedConnection(ports, onConnection(req))
      show(req, res, 'onboarding/manage/disconnect', page.session, (translator) => disconnectLocals(page, translator))
    })
    .post('/manage/:id/connections/:connectionId/disconnect', sameOrigin, async (req, res) => {
      const result = await disconnectOwnConnection(ports, settings, {
        ...onConnection(req),
        actor: browserActor(req, res),
      })
        .then(async ({ done }) => ((await within(done, inlineMs))?.step === 'done' ? 'disconnected' : 'disconnecting'))
        .then((word) => `${managePath(String(req.params.id))}?result=${word}`)
        .catch(busyPage(req))
      res.redirect(303, result)
    })
    .use('/manage/:id/connections', toTheRest)
    .use(
      '/manage/:id',
      brandErrors((req) => managePageOwner(ports, on(req))),
    )
}

type Locals = (translator: ReturnType<Languages['forVisitor']>) => object

const toTheRest: ErrorRequestHandler = (error, req, res, next) => {
  if (!(error instanceof Failure) || error.code !== 'connection_disconnected') return next(error)
  res.redirect(303, `${managePath(String(req.params.id))}?result=disconnected`)
}

const busyPage =
  (req: Request) =>
  (error: unknown): string => {
    if (error instanceof Failure && error.code === 'connection_busy') {
      return `${managePath(String(req.params.id))}/connections/${req.params.connectionId}?result=connection_busy`
    }
    throw error
  }
