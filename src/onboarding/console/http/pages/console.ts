// The support console: who gets in, and which pages there are.

import express, { type RequestHandler } from 'express'
import type { Store } from 'express-session'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Rates } from '../../../domain/rate-limit.ts'
import type { ViewerUrls } from '../../../domain/trace/link-places.ts'
import type { Readiness } from '../../../http/health.ts'
import type { Languages } from '../../../http/languages.ts'
import type { FailureLog } from '../../../http/to-failure.ts'
import type { AreaFlows, ConsoleFlows } from '../../flows/console-flows.ts'
import { knownMethodsOnly, sessionOf, signedInOnly, supportActor } from '../console-guards.ts'
import { consoleSessions, destroySession } from '../console-session.ts'
import { formsOnly, ownFormsOnly, uploadedForms } from '../form-guards.ts'
import { keptFormPages, keptForms } from '../kept-forms.ts'
import { accountLocals } from '../locals/account.ts'
import { frameLocals } from '../locals/frame.ts'
import { overviewLocals } from '../locals/overview.ts'
import { returnedForms } from '../returned-forms.ts'
import { sentOnce } from '../sent-once.ts'
import { actionPages } from './actions.ts'
import { auditPages } from './audit.ts'
import { brandingPages } from './branding.ts'
import { campaignPages } from './campaigns.ts'
import { detailPages } from './details.ts'
import { doctorPages } from './doctor.ts'
import { erasurePages } from './erasures.ts'
import { keyPages } from './keys.ts'
import { listPages } from './lists.ts'
import { mcpClientPages } from './mcp-clients.ts'
import { signInPages } from './sign-in.ts'
import { readServiceStates, storeOutagePage } from './store-outage.ts'
import { tenantPages } from './tenants.ts'
import { toolPages } from './tools.ts'
import { webhookEndpointPages } from './webhook-endpoints.ts'

export type ConsoleParts = {
  flows: ConsoleFlows
  store: Store
  secrets: string[]
  integrations(): readonly CatalogueItem[]
  platformConsoleUrl: string | undefined
  viewers: ViewerUrls
  showsSampleData: boolean
}

export type SupportPages = {
  flows: AreaFlows
  console: ConsoleParts | undefined
  languages: Languages
  publicUrl: string
  rates: Rates
  readiness: Readiness
  log: FailureLog
}

export function supportPages({
  flows,
  console: parts,
  languages,
  publicUrl,
  rates,
  readiness,
  log,
}: SupportPages): RequestHandler {
  if (!parts) return consoleOff
  const https = publicUrl.startsWith('https:')
  const { flows: console, integrations, platformConsoleUrl, viewers } = parts
  const once = sentOnce(console)
  const pages = exactRouter()
    .use(overviewPages({ console, readiness }), listPages({ console, integrations }), auditPages({ console }))
    .use(campaignPages({ flows, integrations, once }), doctorPages({ flows, console }), erasurePages({ flows }))
    .use(detailPages({ console, platformConsoleUrl, viewers, publicUrl }), actionPages({ flows, console, once }))
    .use(
      mcpClientPages({ flows }),
      tenantPages({ flows, integrations, once }),
      webhookEndpointPages({ flows, once }),
      brandingPages({ flows, languages }),
      keyPages({ flows, once }),
      toolPages({ flows }),
    )
  return (
    exactRouter()
      .use(knownMethodsOnly, formsOnly, consoleSessions({ ...parts, https }), marksSample(parts))
      .use(signInPages({ flows, console, rates, publicUrl }))
      .use(signedInOnly({ console, https }))
      .use(keptFormPages({ pages, publicUrl }))
      // Words in every language, written in three bytes a letter.
      .use('/tenants', ...uploadedForms, formUpTo('64kb'))
      .use(formUpTo('16kb'))
      .use(ownFormsOnly({ publicUrl, noteRefusal: flows.noteRefusal }))
      .use(signOutPages({ console, https }))
      // In a router of its own: what is refused before, by a guard above, must not lead to a page.
      .use(exactRouter().use(pages, returnedForms({ pages, log })))
      .use(keptForms({ publicUrl }))
      .use(storeOutagePage({ readiness, log }))
  )
}

const formUpTo = (limit: string) => express.urlencoded({ extended: false, limit, inflate: false })

/** Every page says so: nobody should take what was made up for what happened. */
const marksSample =
  ({ showsSampleData }: Pick<ConsoleParts, 'showsSampleData'>): RequestHandler =>
  (_req, res, next) => {
    res.locals.showsSampleData = showsSampleData
    next()
  }

const consoleOff: RequestHandler = () => {
  throw new Failure('console_off', 'No OAuth client is configured for it (CONSOLE_CLIENT_ID).')
}

type OverviewNeeds = { console: Pick<ConsoleFlows, 'readOverview'>; readiness: Readiness }

const overviewPages = ({ console, readiness }: OverviewNeeds) =>
  exactRouter()
    .get('/', async (req, res) => {
      const [overview, services] = await Promise.all([console.readOverview(), readServiceStates(readiness)])
      res.render('onboarding/support/overview', {
        ...overviewLocals(overview, services),
        ...frameLocals(req, res, '/support'),
      })
    })
    .get('/account', (req, res) => {
      const locals = accountLocals(sessionOf(req), new Date())
      res.render('onboarding/support/account', { ...locals, ...frameLocals(req, res, undefined) })
    })

const signOutPages = ({ console, https }: { console: ConsoleFlows; https: boolean }) =>
  exactRouter()
    .post('/sign-out', async (req, res) => {
      await console.endSession(req.sessionID, sessionOf(req))
      await destroySession(req, res, https)
      res.redirect(303, '/support/signed-out')
    })
    .post('/sign-out-everywhere', async (req, res) => {
      await console.endAllSessions({ user: sessionOf(req).user, actor: supportActor(req, res) })
      await destroySession(req, res, https)
      res.redirect(303, '/support/signed-out')
    })
