import type { Express, RequestHandler } from 'express'
import type { BrandedHeaders } from '../contract/headers.ts'
import { exactApp } from '../kit/http/exact-routing.ts'
import { servePages } from '../kit/http/pages.ts'
import { requestIds } from '../kit/http/request-id.ts'
import { requestLog } from '../kit/http/request-log.ts'
import { type RequestDurations, requestMetrics } from '../kit/http/request-metrics.ts'
import { securityHeaders } from '../kit/http/security-headers.ts'
import type { Log } from '../kit/process/log.ts'
import { costPages } from './billing/http/pages/cost-pages.ts'
import type { Config } from './config.ts'
import { gatewayAddresses } from './gateway/http/gateway-addresses.ts'
import { type GatewayAnswers, gatewayErrors } from './gateway/http/gateway-errors.ts'
import { functionLoginPages } from './identity/http/function-login-pages.ts'
import { interactionPages } from './identity/http/interaction-pages.ts'
import { oauthAddresses } from './identity/http/oauth-addresses.ts'
import { crossOrigin, oauthRoutes } from './identity/http/oauth-routes.ts'
import { registrationRoutes } from './identity/http/registration-routes.ts'
import { sessionPages } from './identity/http/session-pages.ts'
import { Failure } from './shared/domain/failure.ts'
import type { PlatformEvent } from './shared/domain/log-events.ts'
import { apiDate } from './shared/http/api-date.ts'
import { controlPlaneErrors } from './shared/http/control-plane-errors.ts'
import { type Dependencies, healthRoutes } from './shared/http/health.ts'
import { openapiRoutes } from './shared/http/openapi/document.ts'
import type { Guards, Operation } from './shared/http/operation.ts'
import { serveOperations } from './shared/http/serve-operations.ts'

type CostPageNeeds = Parameters<typeof costPages>[0]

type Parts = {
  config: Config
  log: Log<PlatformEvent>
  durations: RequestDurations
  now: () => Date
  gatewayAnswers: GatewayAnswers
  ready: Dependencies
  guards: Guards
  identity: Parameters<typeof oauthRoutes>[0] &
    Parameters<typeof interactionPages>[0] &
    Pick<CostPageNeeds, 'sessions'> &
    Parameters<typeof sessionPages>[0] &
    Parameters<typeof registrationRoutes>[0] &
    Parameters<typeof functionLoginPages>[0]
  costs: CostPageNeeds['costs']
  /** Those of MCP clients. */
  functionRequests: RequestHandler
  gateway: RequestHandler[]
  operations: readonly Operation[]
}

/** The table of contents: everything this program answers. */
export function createApp(parts: Parts): Express {
  const { config, log, durations, now, gatewayAnswers, ready, guards, identity, costs, operations } = parts
  const app = exactApp(config.trustProxy)
  app.use(requestIds, requestLog(log), requestMetrics(durations), securityHeaders({ https: config.isSecure }))
  // First, because they are what is asked for most.
  app.use(serveOperations(operations, guards, controlPlaneErrors(log)), parts.functionRequests)
  servePages(app)
  app.use(
    healthRoutes(ready, log),
    openapiRoutes({ operations, gateway: gatewayAddresses, oauth: oauthAddresses }, config),
  )
  app.use(
    interactionPages(identity),
    functionLoginPages(identity),
    sessionPages(identity),
    costPages({ ...identity, costs, log, now }),
  )
  const oauth = [crossOrigin, registrationRoutes(identity), oauthRoutes(identity)]
  app.use('/v0', oauth).use(oauth)
  app.use('/v0', unknownVersion(config.headers), unknownRoute, controlPlaneErrors(log))
  app.use(parts.gateway, unknownRoute, gatewayErrors(gatewayAnswers))
  return app
}

/** An unknown API version is reported before an unknown address. */
const unknownVersion =
  (headers: BrandedHeaders): RequestHandler =>
  (req, _res, next) => {
    apiDate(req, headers)
    next()
  }

const unknownRoute = () => {
  throw new Failure('route_unknown', 'There is nothing at this address.')
}
