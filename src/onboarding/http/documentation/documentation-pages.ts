import express, { type Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import { contentsLocals, pageLocals } from './locals.ts'
import { searchPassages } from './search-passages.ts'
import type { Site } from './site.ts'

export type Documentation = { site: () => Site; document: () => OpenApiDocument; documents: Documents }

export function documentationPages({ site, document, documents }: Documentation): Router {
  const images = express.static(documents.folder('docs/images'), { index: false, redirect: false })
  return exactRouter()
    .get('/docs/guides', (_req, res) => {
      res.render('onboarding/docs/guides', contentsLocals(site()))
    })
    .get(
      '/docs/search.json',
      jsonDocument(() => searchPassages(site(), document())),
    )
    .use('/docs/images', images)
    .get('/docs/*page', (req, res, next) => {
      const page = site().page(req.path)
      if (!page) return next()
      res.render('onboarding/docs/page', pageLocals(site(), page))
    })
}
