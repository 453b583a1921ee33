import express, { type Express, type RequestHandler } from 'express'
import { exactApp, exactRouter } from '../kit/http/exact-routing.ts'
import { packedPackages } from '../kit/http/packed-packages.ts'
import { servePages } from '../kit/http/pages.ts'
import { requestIds } from '../kit/http/request-id.ts'
import { requestLog } from '../kit/http/request-log.ts'
import { requestDurations, requestMetrics } from '../kit/http/request-metrics.ts'
import { securityHeaders } from '../kit/http/security-headers.ts'
import type { Log } from '../kit/process/log.ts'
import type { Metrics } from '../kit/process/metrics.ts'
import { campaignRoutes } from './campaigns/http/campaigns.ts'
import { accessTokenRoutes } from './connections/http/access-tokens.ts'
import { approvalRoutes } from './connections/http/approvals.ts'
import { connectionNameRoutes } from './connections/http/connection-names.ts'
import { connectionRoutes } from './connections/http/connections.ts'
import { functionAccessRoutes } from './connections/http/function-access.ts'
import { healthRoutes } from './connections/http/health.ts'
import { manageSessionRoutes } from './connections/http/manage-sessions.ts'
import { newConnectionRoutes } from './connections/http/new-connection.ts'
import { managePages } from './connections/http/pages/manage.ts'
import { repairPages } from './connections/http/pages/repair.ts'
import { relayedRequests } from './connections/http/relay.ts'
import { taskRoutes } from './connections/http/tasks.ts'
import { testFunctions } from './connections/http/test-function.ts'
import { toolListRoutes } from './connections/http/tool-list.ts'
import { auditRoutes } from './console/http/audit-api.ts'
import { auditChainRoutes, auditKeys } from './console/http/audit-chain-api.ts'
import { type ConsoleParts, supportPages } from './console/http/pages/console.ts'
import { answerQuestion } from './doctor/flows/examine-deployment.ts'
import { Failure } from './domain/failure.ts'
import type { Ports } from './domain/ports/ports.ts'
import type { OnboardingEvent } from './domain/reports/log-events.ts'
import type { Settings } from './domain/settings.ts'
import { tenantExportRoutes } from './exports/http/tenant-export.ts'
import { errorPages } from './http/error-page.ts'
import { apiKeyOnly, jsonOnly, limitVisitors } from './http/guards.ts'
import { health, type Readiness } from './http/health.ts'
import { idempotentAnswers } from './http/idempotency.ts'
import { installedLanguages, type Languages, renderPage } from './http/languages.ts'
import { homeLocals } from './http/locals/home.ts'
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
import { integrationSettingsRoutes } from './settings/http/integration-settings.ts'
import { settingsFeed } from './settings/http/settings-feed.ts'
import { toolPolicyRoutes } from './settings/http/tool-policies.ts'
import { integrationRoutes } from './tenants/http/integrations.ts'
import { logoPages, logoRoutes } from './tenants/http/logos.ts'
import { oauthClientRoutes } from './tenants/http/oauth-clients.ts'
import { cataloguePages } from './tenants/http/pages/catalogue.ts'
import { tenantStatusRoutes } from './tenants/http/tenant-status.ts'
import { tenantRoutes } from './tenants/http/tenants.ts'
import { eventRoutes } from './webhooks/http/events.ts'
import { webhookDeliveryRoutes } from './webhooks/http/webhook-deliveries.ts'
import { webhookMessages } from './webhooks/http/webhook-messages.ts'
import { webhookRoutes } from './webhooks/http/webhooks.ts'

type AppParts = {
  ports: Ports
  settings: Settings
  readiness: Readiness
  log: Log<OnboardingEvent>
  metrics: Metrics
  trustProxy: string[]
  console: ConsoleParts | undefined
}

export function createApp({ ports, settings, readiness, log, metrics, trustProxy, console }: AppParts): Express {
  const { publicUrl, rates } = settings
  const https = publicUrl.startsWith('https:')
  const cookies = browserCookies({ https })
  const languages = installedLanguages()
  const app = exactApp(trustProxy)
  app.use(requestIds, securityHeaders({ https, includeSubDomains: true }))
  servePages(app)
  app.use(requestLog(log), requestMetrics(requestDurations(metrics)))

  // First, because every link uses these paths.
  const pages = [
    '/connect',
    '/oauth',
    '/links',
    '/logos',
    '/manage',
    '/repair',
    '/test-provider/:integration/authorize',
  ]
  const settled = untilSettled(ports)
  app.use(pages, settled, limitVisitors({ ports, rates }))
  app.use(connectPages({ ports, settings, cookies, languages }))
  app.use(callbackPages({ ports, settings, cookies }))
  app.use(clientDocuments({ settings }))
  app.use(accentPages())
  app.use(logoPages(ports))
  app.use(testProviderPages({ ports, settings, languages }))
  app.use(linkPages({ ports, settings, cookies, languages }))
  app.use(managePages({ ports, settings, cookies: browserCookies({ https, kind: 'cm' }), languages }))
  app.use(repairPages({ ports, settings, languages }))

  app.use(health(readiness, (question) => answerQuestion(ports, question), log))
  app.use(
    ['/docs', '/openapi.json', '/catalogue', '/packages', '/.well-known'],
    limitVisitors({ ports, rates }, 'reading'),
  )
  const routes = apiRoutes(settings.completion)
  app.use(apiDocs({ routes, messages: webhookMessages, publicUrl }))
  app.use(packedPackages({ publicUrl, scope: '@causeway' }))
  app.use(auditKeys(ports))
  app.use(cataloguePages({ ports, settings }), homePage(languages, console !== undefined))
  app.use(settingsFeed(ports, rates, settings.settingsKey))
  const keys = { apiKeys: ports.apiKeys, ports, rates }
  const authenticate = apiKeyOnly(keys)
  app.use(testFunctions({ ports, authenticate }))
  app.use(relayedRequests({ ports, settings, authenticate }))
  app.use('/api/v1', settled, jsonOnly, apiKeyOnly({ ...keys, areKeysMixed: true }))
  // Imports have many rows. A body that was parsed here is not parsed again.
  app.use('/api/v1/imports', jsonUpTo('1mb'))
  app.use(['/api/v1/tenants/:tenantId/logos', '/api/v1/integrations/:integrationId/settings'], jsonUpTo('1mb'))
  app.use('/api/v1', jsonUpTo('32kb'))
  app.use(
    '/api/v1',
    serveRoutes(routes, { answerIdempotently: idempotentAnswers(ports, log), ports, settings, languages }),
  )
  app.use(['/api', '/internal', '/test-provider/functions'], nothingHere, problems(log, publicUrl))

  app.use('/support', supportPages({ settings, console, languages, readiness, log }))
  // The error page is rendered, so unknown paths count as well.
  app.use(limitVisitors({ ports, rates }, 'reading'), nothingHere, errorPages({ log, languages, settings }))
  return app
}

/** After a start no link may begin with the file's client before the settings are read. */
function untilSettled({ followSettings }: Ports): RequestHandler {
  let isSettled = false
  return async (_req, _res, next) => {
    if (!isSettled) await followSettings()
    isSettled = true
    next()
  }
}

/** No body is large enough to compress. */
const jsonUpTo = (limit: string) => express.json({ limit, inflate: false })

const apiRoutes = (completion: Settings['completion'] = 'required'): ApiRoute[] => [
  ...tenantRoutes,
  ...tenantStatusRoutes,
  ...tenantDeletionRoutes,
  ...integrationRoutes,
  ...integrationSettingsRoutes,
  ...toolPolicyRoutes,
  ...logoRoutes,
  ...oauthClientRoutes,
  ...connectSessionRoutes(completion),
  ...linkRoutes,
  ...newConnectionRoutes,
  ...connectionRoutes,
  ...connectionNameRoutes,
  ...healthRoutes,
  ...functionAccessRoutes,
  ...accessTokenRoutes,
  ...toolListRoutes,
  ...approvalRoutes,
  ...taskRoutes,
  ...importRoutes,
  ...importRowRoutes,
  ...manageSessionRoutes,
  ...campaignRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...auditChainRoutes,
  ...tenantExportRoutes,
  ...erasureRoutes,
]

export const describedApi = (publicUrl: string): DescribedApi => ({
  routes: apiRoutes(),
  messages: webhookMessages,
  publicUrl,
})

const nothingHere: RequestHandler = () => {
  throw new Failure('not_found', 'There is nothing at this address.')
}

const homePage = (languages: Languages, hasConsole: boolean) =>
  exactRouter().get('/', (req, res) => {
    const translator = languages.forError(req)
    renderPage(res, 'onboarding/home', translator, homeLocals(hasConsole, translator))
  })
