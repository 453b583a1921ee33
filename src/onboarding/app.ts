// The table of contents: which routes there are, and what stands before and behind them.
import express, { type Express, type RequestHandler } from 'express'
import { servePages } from '../kit/http/pages.ts'
import { requestIds } from '../kit/http/request-id.ts'
import { requestLog } from '../kit/http/request-log.ts'
import { requestMetrics } from '../kit/http/request-metrics.ts'
import { securityHeaders } from '../kit/http/security-headers.ts'
import type { Log } from '../kit/process/log.ts'
import type { Metrics } from '../kit/process/metrics.ts'
import { Failure } from './domain/failure.ts'
import type { ApiKeys } from './domain/ports.ts'
import type { Rates } from './domain/rate-limit.ts'
import type { Flows } from './flows/flows.ts'
import { campaignRoutes } from './http/api/campaigns.ts'
import { connectSessionRoutes } from './http/api/connect-sessions.ts'
import { apiDocs } from './http/api/docs.ts'
import { idempotentAnswers } from './http/api/idempotency.ts'
import { linkRoutes } from './http/api/links.ts'
import { type ApiRoute, serveRoutes } from './http/api/route.ts'
import { tenantRoutes } from './http/api/tenants.ts'
import { upkeepRoutes } from './http/api/upkeep.ts'
import { webhookRoutes } from './http/api/webhooks.ts'
import { browserCookies } from './http/browser-cookies.ts'
import { errorPages } from './http/error-page.ts'
import { apiKeyOnly, jsonOnly, limitVisitors } from './http/guards.ts'
import { health, type Readiness } from './http/health.ts'
import { callbackPages } from './http/pages/callback.ts'
import { connectPages } from './http/pages/connect.ts'
import { linkPages } from './http/pages/link.ts'
import { type ConsoleParts, supportPages } from './http/pages/support/console.ts'
import { problems } from './http/problem.ts'

export type AppParts = {
  flows: Flows
  apiKeys: Pick<ApiKeys, 'caller'>
  readiness: Readiness
  log: Log
  metrics: Metrics
  publicUrl: string
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
  trustProxy,
  rates,
  console,
}: AppParts): Express {
  const https = publicUrl.startsWith('https:')
  const cookies = browserCookies({ https })
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // no answer is kept, so none is asked for again
  app.set('trust proxy', trustProxy)
  app.use(requestIds, securityHeaders({ https }))
  servePages(app)
  app.use(requestLog(log), requestMetrics(metrics))

  // First, because every link comes this way and each layer before it is asked whether it knows the address.
  app.use(['/connect', '/oauth', '/links'], limitVisitors({ limitRate: flows.limitRate, rates }))
  app.use(connectPages({ flows, cookies, publicUrl }))
  app.use(callbackPages({ flows, cookies }))
  app.use(linkPages({ flows, cookies }))

  app.use(health(readiness))
  const routes = apiRoutes({ flows, publicUrl })
  app.use(apiDocs(routes, publicUrl))
  app.use(
    '/api/v1',
    jsonOnly,
    apiKeyOnly({ apiKeys, limitRate: flows.limitRate, rates }),
    // Nothing we take is large enough to be worth compressing, and a broken stream would look like a fault of ours.
    express.json({ limit: '32kb', inflate: false }),
  )
  app.use('/api/v1', serveRoutes(routes, { answerOnce: idempotentAnswers(flows), noteRefusal: flows.noteRefusal }))
  app.use('/api', nothingHere, problems(log))

  app.use('/support', supportPages({ flows, console, publicUrl, rates, readiness, log }))
  app.use(nothingHere, errorPages(log))
  return app
}

export const apiRoutes = (parts: Pick<AppParts, 'flows' | 'publicUrl'>): ApiRoute[] => [
  ...tenantRoutes(parts.flows),
  ...connectSessionRoutes(parts),
  ...linkRoutes(parts),
  ...upkeepRoutes(parts),
  ...campaignRoutes(parts),
  ...webhookRoutes(parts.flows),
]

const nothingHere: RequestHandler = () => {
  throw new Failure('not_found', 'There is nothing at this address.')
}
