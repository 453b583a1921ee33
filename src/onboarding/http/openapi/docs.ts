import type { Router } from 'express'
import { lazy } from '../../../kit/cache/lazy.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import { allowInlineStyles } from '../../../kit/http/security-headers.ts'
import { installedDocuments } from '../../../kit/markdown/read-documents.ts'
import { documentationPages } from '../documentation/documentation-pages.ts'
import { generatedPages } from '../documentation/generated-pages.ts'
import { documentationSite } from '../documentation/site.ts'
import { docsLocals, docsNav } from '../locals/docs.ts'
import { type DescribedApi, openApiDocument } from './openapi.ts'
import { referenceDocument } from './reference-document.ts'

/** The same document for tools, for people, and for people without scripts; and the guides beside it. */
export function apiDocs(api: DescribedApi): Router {
  const document = lazy(() => openApiDocument(api))
  const locals = lazy(() => docsLocals(document()))
  const documents = installedDocuments()
  const site = documentationSite(documents, generatedPages(document))
  return (
    exactRouter()
      .get('/openapi.json', jsonDocument(document))
      // The `type` of a problem and the `guide` of a cause are addresses that explain them.
      .get('/problems/:code', (req, res) => {
        res.redirect(302, `/docs/reference/errors#${encodeURIComponent(req.params.code)}`)
      })
      .get('/causes/:code', (req, res) => {
        res.redirect(302, `/docs/reference/causes#${encodeURIComponent(req.params.code)}`)
      })
      .get('/docs', allowInlineStyles, (_req, res) => {
        res.render('onboarding/docs', { title: 'API reference', nav: docsNav('/docs') })
      })
      // By the address that the visitor uses: the policy of the page lets it ask nobody else.
      .get(
        '/docs/openapi.json',
        jsonDocument(() => referenceDocument(document(), '/api/v1')),
      )
      .get('/docs/api', (_req, res) => {
        res.render('onboarding/docs/api', locals())
      })
      .use(documentationPages({ site, document, documents }))
  )
}
