// The table of contents: which routes there are, and what stands before and behind them.
import express, { type Express, type RequestHandler } from 'express'
import { exactApp } from '../kit/http/exact-routing.ts'
import { servePages } from '../kit/http/pages.ts'
import { requestIds } from '../kit/http/request-id.ts'
import { requestLog } from '../kit/http/request-log.ts'
import { requestDurations, requestMetrics } from '../kit/http/request-metrics.ts'
import { securityHeaders } from '../kit/http/security-headers.ts'
import type { Log } from '../kit/process/log.ts'
import type { Metrics } from '../kit/process/metrics.ts'
import { campaignRoutes } from './campaigns/http/campaigns.ts'
import { connectionRoutes } from './connections/http/connections.ts'
import { functionAccessRoutes } from './connections/http/function-access.ts'
import { healthRoutes } from './connections/http/health.ts'
import { manageSessionRoutes } from './connections/http/manage-sessions.ts'
import { managePages } from './connections/http/pages/manage.ts'
import { taskRoutes } from './connections/http/tasks.ts'
import { toolListRoutes } from './connections/http/tool-list.ts'
import { auditRoutes } from './console/http/audit-api.ts'
import { type ConsoleParts, supportPages } from './console/http/pages/console.ts'
import { Failure } from './domain/failure.ts'
import type { OnboardingEvent } from './domain/log/log-events.ts'
import type { ApiKeys } from './domain/ports/tenants.ts'
import type { Rates } from './domain/rate-limit.ts'
import type { Settings } from './domain/settings.ts'
import { tenantExportRoutes } from './exports/http/tenant-export.ts'
import type { Flows } from './flows.ts'
import { errorPages } from './http/error-page.ts'
import { apiKeyOnly, jsonOnly, limitVisitors } from './http/guards.ts'
import { health, type Readiness } from './http/health.ts'
import { homePage } from './http/home-page.ts'
import { idempotentAnswers } from './http/idempotency.ts'
import { installedLanguages, type Languages } from './http/languages.ts'
import { apiDocs } from './http/openapi/docs.ts'
import type { DescribedApi } from './http/openapi/openapi.ts'
import { problems } from './http/problem.ts'
import type { ApiRoute } from './http/route.ts'
import { serveRoutes } from './http/serve-routes.ts'
import { importRowRoutes } from './imports/http/import-rows.ts'
import { importRoutes } from './imports/http/imports.ts'
import { browserCookies } from './linking/http/browser-cookies.ts'
import { connectSessionRoutes } from './linking/http/connect-sessions.ts'
import { linkRoutes } from './linking/http/links.ts'
import { accentPages } from './linking/http/pages/accents.ts'
import { callbackPages } from './linking/http/pages/callback.ts'
import { clientDocuments } from './linking/http/pages/client-document.ts'
import { connectPages } from './linking/http/pages/connect.ts'
import { linkPages } from './linking/http/pages/link.ts'
import { testProviderPages } from './linking/http/pages/test-provider.ts'
import { erasureRoutes } from './offboarding/http/erasures.ts'
import { tenantDeletionRoutes } from './offboarding/http/tenant-deletion.ts'
import { integrationRoutes } from './tenants/http/integrations.ts'
import { logoRoutes } from './tenants/http/logos.ts'
import { oauthClientRoutes } from './tenants/http/oauth-clients.ts'
import { cataloguePages } from './tenants/http/pages/catalogue.ts'
import { logoPages } from './tenants/http/pages/logos.ts'
import { tenantStatusRoutes } from './tenants/http/tenant-status.ts'
import { tenantRoutes } from './tenants/http/tenants.ts'
import { eventRoutes } from './webhooks/http/events.ts'
import { webhookDeliveryRoutes } from './webhooks/http/webhook-deliveries.ts'
import { webhookMessages } from './webhooks/http/webhook-messages.ts'
import { webhookRoutes } from './webhooks/http/webhooks.ts'

export type AppParts = {
  flows: Flows
  apiKeys: Pick<ApiKeys, 'caller'>
  readiness: Readiness
  log: Log<OnboardingEvent>
  metrics: Metrics
  publicUrl: string
  completion: Settings['completion']
  trustProxy: string[]
  rates: Rates
  console: ConsoleParts | undefined
}

export function createApp({
  flows,
  apiKeys,
  readiness,
  log,
  metrics,
  publicUrl,
  completion,
  trustProxy,
  rates,
  console,
}: AppParts): Express {
  const https = publicUrl.startsWith('https:')
  const cookies = browserCookies({ https })
  const languages = installedLanguages()
  const app = exactApp(trustProxy)
  app.use(requestIds, securityHeaders({ https }))
  servePages(app)
  app.use(requestLog(log), requestMetrics(requestDurations(metrics)))

  // First, because every link comes this way and each layer before it is asked whether it knows the address.
  app.use(
    ['/connect', '/oauth', '/links', '/logos', '/manage', '/test-provider'],
    limitVisitors({ limitRate: flows.limitRate, rates }),
  )
  app.use(connectPages({ flows, cookies, languages, publicUrl }))
  app.use(callbackPages({ flows, cookies }))
  app.use(clientDocuments(flows))
  app.use(accentPages())
  app.use(logoPages(flows))
  app.use(testProviderPages({ flows, languages }))
  app.use(linkPages({ flows, cookies, languages, publicUrl }))
  app.use(managePages({ flows, cookies: browserCookies({ https, kind: 'cm' }), languages, publicUrl }))

  app.use(health(readiness, flows, log))
  app.use(['/docs', '/openapi.json', '/catalogue'], limitVisitors({ limitRate: flows.limitRate, rates }, 'reading'))
  const routes = apiRoutes({ flows, languages, publicUrl, completion })
  app.use(apiDocs({ routes, messages: webhookMessages, publicUrl }))
  app.use(cataloguePages(flows), homePage(languages, console !== undefined))
  app.use('/api/v1', jsonOnly, apiKeyOnly({ apiKeys, limitRate: flows.limitRate, rates }))
  // Many rows come in one request. What was read here is not read again.
  app.use('/api/v1/imports', jsonUpTo('1mb'))
  app.use('/api/v1/tenants/:tenantId/logos', jsonUpTo('1mb'))
  app.use('/api/v1', jsonUpTo('32kb'))
  app.use(
    '/api/v1',
    serveRoutes(routes, { answerIdempotently: idempotentAnswers(flows, log), noteRefusal: flows.noteRefusal }),
  )
  app.use('/api', nothingHere, problems(log))

  app.use('/support', supportPages({ flows, console, languages, publicUrl, rates, readiness, log }))
  app.use(nothingHere, errorPages(log, languages))
  return app
}

/** Nothing we take is large enough to be worth compressing, and a broken stream would look like a fault of ours. */
const jsonUpTo = (limit: string) => express.json({ limit, inflate: false })

export const apiRoutes = (
  parts: Pick<AppParts, 'flows' | 'publicUrl'> & Partial<Pick<AppParts, 'completion'>> & { languages: Languages },
): ApiRoute[] => [
  ...tenantRoutes(parts.flows),
  ...tenantStatusRoutes(parts.flows),
  ...tenantDeletionRoutes(parts.flows),
  ...integrationRoutes(parts.flows),
  ...logoRoutes(parts.flows),
  ...oauthClientRoutes(parts.flows),
  ...connectSessionRoutes(parts),
  ...linkRoutes(parts),
  ...connectionRoutes(parts),
  ...healthRoutes(parts),
  ...functionAccessRoutes(parts),
  ...toolListRoutes(parts),
  ...taskRoutes(parts),
  ...importRoutes(parts),
  ...importRowRoutes(parts),
  ...manageSessionRoutes(parts),
  ...campaignRoutes(parts),
  ...webhookRoutes(parts.flows),
  ...webhookDeliveryRoutes(parts.flows),
  ...eventRoutes(parts.flows),
  ...auditRoutes(parts),
  ...tenantExportRoutes(parts),
  ...erasureRoutes(parts.flows),
]

/** The API as its document describes it. Describing a route calls no flow. */
export const describedApi = (publicUrl: string): DescribedApi => ({
  routes: apiRoutes({ flows: {} as Flows, languages: {} as Languages, publicUrl }),
  messages: webhookMessages,
  publicUrl,
})

const nothingHere: RequestHandler = () => {
  throw new Failure('not_found', 'There is nothing at this address.')
}
