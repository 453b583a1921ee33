import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import type { Store } from 'express-session'
import { ZodError } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import {
  type ConsoleRole,
  type ConsoleSession,
  isAuthTimeUnknown,
  maxSessionSeconds,
  nameOf,
} from '../../../domain/console.ts'
import { Failure } from '../../../domain/failure.ts'
import type { ConsoleDeps } from '../../../domain/ports/ports.ts'
import type { Settings } from '../../../domain/settings.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { type Readiness, readParts } from '../../../http/health.ts'
import type { Languages } from '../../../http/languages.ts'
import { consoleErrorLocals } from '../../../http/locals/console-error.ts'
import { answerHeaders } from '../../../http/problem.ts'
import { type FailureLog, toFailure } from '../../../http/to-failure.ts'
import { endAllSessions, endSession } from '../../flows/console-sign-in.ts'
import { readOverview, readSuggested } from '../../flows/read-support.ts'
import { knownMethodsOnly, sessionOf, signedInOnly, supportActor } from '../console-guards.ts'
import { consoleSessions, destroySession, forgetSignedIn } from '../console-session.ts'
import { formsOnly, ownFormsOnly, uploadedForms } from '../form-guards.ts'
import { renderBadFilter, renderSupport } from '../locals/frame.ts'
import { badFilterLocals } from '../locals/lists/filters.ts'
import { overviewLocals, type ServiceStates, serviceLocals } from '../locals/overview.ts'
import { ago, formatTime } from '../locals/words.ts'
import type { PageParts } from '../page-parts.ts'
import { returnedForms } from '../returned-forms.ts'
import { actionPages } from './actions.ts'
import { brandingPages } from './branding.ts'
import { campaignPages } from './campaigns.ts'
import { detailPages, mcpClientPages, toolPages } from './details.ts'
import { doctorPages } from './doctor.ts'
import { erasurePages } from './erasures.ts'
import { policyPages, settingsPages } from './integration-settings.ts'
import { keyPages } from './keys.ts'
import { listPages } from './lists.ts'
import { savedViewPages } from './saved-views.ts'
import { signInPages } from './sign-in.ts'
import { tenantPages } from './tenants.ts'
import { webhookEndpointPages } from './webhook-endpoints.ts'

export type ConsoleParts = Pick<PageParts, 'integrations' | 'platformConsoleUrl' | 'viewers'> & {
  deps: ConsoleDeps
  store: Store
  secrets: string[]
  showsSampleData: boolean
}

type SupportPages = {
  settings: Settings
  console: ConsoleParts | undefined
  languages: Languages
  readiness: Readiness
  log: FailureLog
}

export function supportPages({ settings, console, languages, readiness, log }: SupportPages): RequestHandler {
  if (!console) return consoleOff
  const { publicUrl } = settings
  const https = publicUrl.startsWith('https:')
  const { ports } = console.deps
  const parts: PageParts = { ...console, ports, settings, console: console.deps.settings, languages, readiness }
  const pages = exactRouter()
    .use(
      tenantsByName(parts),
      overviewPages(parts),
      listPages(parts),
      savedViewPages(parts),
      campaignPages(parts),
      doctorPages(parts),
      settingsPages(parts),
      policyPages(parts),
    )
    .use(erasurePages(parts), detailPages(parts), actionPages(parts), mcpClientPages(parts), tenantPages(parts))
    .use(webhookEndpointPages(parts), brandingPages(parts), keyPages(parts), toolPages(parts))
  return (
    exactRouter()
      .use(knownMethodsOnly, formsOnly, consoleSessions({ ...console, https }), marksSample(console))
      .use(signInPages(parts))
      .use(signedInOnly(parts, https))
      // Texts in all languages, at up to three bytes per letter.
      .use('/tenants', ...uploadedForms, formUpTo('64kb'))
      .use(formUpTo('16kb'))
      .use(ownFormsOnly(ports, publicUrl))
      .use(signOutPages(parts, https))
      // A separate router: requests rejected by a guard above must not render a page.
      .use(exactRouter().use(pages, returnedForms(pages, log), badFilterPage(log)))
      .use(storeOutagePage(readiness, log))
  )
}

const formUpTo = (limit: string) => express.urlencoded({ extended: false, limit, inflate: false })

const marksSample =
  ({ showsSampleData }: Pick<ConsoleParts, 'showsSampleData'>): RequestHandler =>
  (_req, res, next) => {
    res.locals.showsSampleData = showsSampleData
    next()
  }

const consoleOff: RequestHandler = () => {
  throw new Failure('console_off', 'No OAuth client is configured for the console (CONSOLE_CLIENT_ID).')
}

/** People read and type the names of tenants; the ledger has IDs. */
const tenantsByName =
  ({ ports }: PageParts): RequestHandler =>
  async (req, res, next) => {
    const { tenant } = req.query
    if (req.method !== 'GET' || typeof tenant !== 'string' || tenant === '' || tenantIdPattern.test(tenant))
      return next()
    const { tenants } = await readSuggested(ports)
    const name = tenant.trim().toLowerCase()
    const isId = tenants.some(({ id }) => id === name)
    const meant = isId ? undefined : tenants.find(({ displayName }) => displayName.toLowerCase() === name)
    if (!meant) return next()
    const [path = '', query] = req.originalUrl.split('?')
    const params = new URLSearchParams(query)
    params.set('tenant', meant.id)
    res.redirect(303, `${path}?${params}`)
  }

const overviewPages = ({ ports, readiness }: PageParts) =>
  exactRouter()
    .get('/', async (req, res) => {
      const [overview, services] = await Promise.all([readOverview(ports), readServiceStates(readiness)])
      renderSupport(req, res, 'overview', '/support', overviewLocals(overview, services))
    })
    .get('/account', (req, res) => {
      const locals = accountLocals(sessionOf(req), new Date())
      renderSupport(req, res, 'account', undefined, locals)
    })

const signOutPages = ({ ports }: PageParts, https: boolean) =>
  exactRouter()
    .post('/sign-out', async (req, res) => {
      await endSession(ports, req.sessionID, sessionOf(req))
      await destroySession(req, res, https)
      forgetSignedIn(res, https)
      res.redirect(303, '/support/signed-out')
    })
    .post('/sign-out-everywhere', async (req, res) => {
      await endAllSessions(ports, { user: sessionOf(req).user, actor: supportActor(req, res) })
      await destroySession(req, res, https)
      forgetSignedIn(res, https)
      res.redirect(303, '/support/signed-out')
    })

/** A wrong parameter in the address of a list. */
const badFilterPage =
  (log: FailureLog): ErrorRequestHandler =>
  (error, req, res, next) => {
    if (req.method !== 'GET' || !(error instanceof ZodError)) return next(error)
    answerHeaders(res, toFailure(error, log, requestIdOf(res)))
    const wrong = error.issues.map(({ path, message }) => ({ name: String(path[0] ?? ''), detail: message }))
    renderBadFilter(req, res, badFilterLocals(`${req.baseUrl}${req.path}`, req.query, wrong))
  }

/** Replaces every console page while Redis or the database is down. */
const storeOutagePage =
  (readiness: Readiness, log: FailureLog): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const failure = toFailure(error, log, requestIdOf(res))
    if (res.headersSent || failure.code !== 'store_unavailable') return next(failure)
    const services = serviceLocals(await readServiceStates(readiness))
    answerHeaders(res, failure)
    res.render('onboarding/error', { ...consoleErrorLocals(failure, requestIdOf(res), req.originalUrl), services })
  }

/** A hanging service counts as down and must not delay the page. */
const readServiceStates = (readiness: Readiness): Promise<ServiceStates> => readParts(readiness, 500)

const roleWords: Record<ConsoleRole, string> = {
  viewer: 'You can view everything but change nothing.',
  agent: 'You can view everything and fix connections.',
  admin: 'You can view everything, fix connections, run campaigns, manage tenants and API keys, and erase end users.',
}

function accountLocals({ user, signedInAt, authenticatedAt }: ConsoleSession, now: Date) {
  return {
    title: 'Your account',
    name: nameOf(user),
    subject: user.subject,
    role: { name: user.role, text: roleWords[user.role] },
    signedIn: formatTime(new Date(signedInAt)),
    endsAt: formatTime(new Date(signedInAt + maxSessionSeconds * 1_000)),
    lastAuthenticated: isAuthTimeUnknown({ authenticatedAt })
      ? 'Unknown: the issuer doesn’t say'
      : `${ago(new Date(authenticatedAt), now)} ago`,
  }
}
