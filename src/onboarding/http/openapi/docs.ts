import type { Router } from 'express'
import { lazy } from '../../../kit/cache/lazy.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { docsLocals } from '../locals/docs.ts'
import { type DescribedApi, openApiDocument } from './openapi.ts'

/** The same document twice: for tools, and as a page for people. */
export function apiDocs(api: DescribedApi): Router {
  const document = lazy(() => openApiDocument(api))
  const locals = lazy(() => docsLocals(document()))
  return (
    exactRouter()
      .get('/openapi.json', (_req, res) => {
        res.json(document())
      })
      // The `type` of a problem and the `guide` of a cause are addresses that explain them.
      .get('/problems/:code', (req, res) => {
        res.redirect(302, `/docs#problem-${encodeURIComponent(req.params.code)}`)
      })
      .get('/causes/:code', (req, res) => {
        res.redirect(302, `/docs#cause-${encodeURIComponent(req.params.code)}`)
      })
      .get('/docs', (_req, res) => {
        res.render('onboarding/docs', locals())
      })
  )
}
