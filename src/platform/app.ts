import { type Express, type RequestHandler, Router } from 'express'
import type { BrandedHeaders } from '../contract/headers.ts'
import { exactApp } from '../kit/http/exact-routing.ts'
import { servePages } from '../kit/http/pages.ts'
import { requestIds } from '../kit/http/request-id.ts'
import { requestLog } from '../kit/http/request-log.ts'
import { type RequestDurations, requestMetrics } from '../kit/http/request-metrics.ts'
import { securityHeaders } from '../kit/http/security-headers.ts'
import type { Log } from '../kit/process/log.ts'
import type { Config } from './config.ts'
import { gatewayAddresses } from './gateway/http/gateway-addresses.ts'
import { type GatewayAnswers, gatewayErrors } from './gateway/http/gateway-errors.ts'
import { oauthAddresses } from './identity/http/oauth-addresses.ts'
import type { Engine } from './shared/domain/engine.ts'
import { Failure } from './shared/domain/failure.ts'
import type { PlatformEvent } from './shared/domain/log-events.ts'
import { isSandboxHost } from './shared/http/addressed-to.ts'
import { apiDate } from './shared/http/api-date.ts'
import { controlPlaneErrors } from './shared/http/control-plane-errors.ts'
import { type Dependencies, healthRoutes } from './shared/http/health.ts'
import { openapiRoutes } from './shared/http/openapi/document.ts'
import type { Guards, Operation } from './shared/http/operation.ts'
import { serveOperations } from './shared/http/serve-operations.ts'

type Parts = {
  config: Config
  log: Log<PlatformEvent>
  durations: RequestDurations
  gatewayAnswers: GatewayAnswers
  ready: Dependencies
  engine: Engine
  guards: Guards
  pages: RequestHandler[]
  oauth: RequestHandler[]
  /** Before the page routes, which cost time on every call. */
  functionRoutes: RequestHandler[]
  gateway: RequestHandler[]
  operations: readonly Operation[]
}

export function createApp(parts: Parts): Express {
  const { config, log, durations, gatewayAnswers, ready, guards, pages, oauth, operations } = parts
  const app = exactApp(config.trustProxy)
  app.use(requestIds, requestLog(log), requestMetrics(durations), securityHeaders({ https: config.isSecure }))
  const asGateway = gatewayErrors(gatewayAnswers)
  const gateway = Router().use(parts.gateway, unknownRoute, asGateway)
  // Pages of the platform would share an origin with those of a sandbox.
  app.use((req, res, next) => (isSandboxHost(req) ? gateway(req, res, next) : next()))
  app.use(serveOperations(operations, guards, controlPlaneErrors(log)), parts.functionRoutes)
  servePages(app)
  app.get('/', toFirstPage)
  app.use(
    healthRoutes(ready, parts.engine, log),
    openapiRoutes({ operations, gateway: gatewayAddresses, oauth: oauthAddresses }, config),
  )
  app.use(pages)
  app.use('/v0', oauth).use(oauth)
  app.use('/v0', unknownVersion(config.headers), unknownRoute, controlPlaneErrors(log))
  app.use(gateway, asGateway)
  return app
}

/** For a person who opens the address of the platform; a program gets the error of an unknown route. */
const toFirstPage: RequestHandler = (req, res, next) =>
  req.accepts(['json', 'html']) === 'html' ? res.redirect(303, '/billing') : next()

/** An unknown API version is reported before an unknown address. */
const unknownVersion =
  (headers: BrandedHeaders): RequestHandler =>
  (req, _res, next) => {
    apiDate(req, headers)
    next()
  }

const unknownRoute = () => {
  throw new Failure('route_unknown', 'No route matches this path.')
}
