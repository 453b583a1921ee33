// By default Express also accepts other letter case and a trailing slash, which rules of a proxy would miss.
import express, { type Express, Router } from 'express'
import { rememberRoutes } from './route-template.ts'

export const exactRouter = (): Router => Router({ caseSensitive: true, strict: true })

export function exactApp(trustProxy: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // no response is cacheable
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', trustProxy)
  rememberRoutes(app)
  return app
}
