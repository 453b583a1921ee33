import type { Express } from 'express'
import { exactApp } from '../../../src/kit/http/exact-routing.ts'
import { servePages } from '../../../src/kit/http/pages.ts'
import { securityHeaders } from '../../../src/kit/http/security-headers.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { apiDocs } from '../../../src/onboarding/http/openapi/docs.ts'

export function docsApp(publicUrl = 'https://connect.example.com'): Express {
  const app = exactApp([])
  app.use(securityHeaders({ https: false }))
  servePages(app)
  app.use(apiDocs(describedApi(publicUrl)))
  return app
}
