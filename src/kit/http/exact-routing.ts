// One address, one spelling: Express by itself also takes other cases of letters and a slash at the end, and then a rule
// of a proxy about an address, or a reader of its log, misses some of what is served there.
import express, { type Express, Router } from 'express'
import { rememberRoutes } from './route-template.ts'

export const exactRouter = (): Router => Router({ caseSensitive: true, strict: true })

export function exactApp(trustProxy: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // no answer is kept, so none is asked for again
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', trustProxy)
  rememberRoutes(app)
  return app
}
