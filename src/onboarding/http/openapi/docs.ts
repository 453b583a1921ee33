import type { Router } from 'express'
import { lazy } from '../../../kit/cache/lazy.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { allowInlineStyles } from '../../../kit/http/security-headers.ts'
import { installedDocuments } from '../../../kit/markdown/read-documents.ts'
import { documentationPages } from '../documentation/documentation-pages.ts'
import { generatedPages } from '../documentation/generated-pages.ts'
import { documentationSite } from '../documentation/site.ts'
import { docsLocals, docsNav } from '../locals/docs.ts'
import type { ApiRoute } from '../route.ts'
import { clientSample } from './client-samples.ts'
import { type DescribedApi, openApiDocument } from './openapi.ts'

export function apiDocs(api: DescribedApi): Router {
  const document = lazy(() => openApiDocument(api))
  const locals = lazy(() => docsLocals(document()))
  const documents = installedDocuments()
  const site = documentationSite(documents, generatedPages(document))
  return (
    exactRouter()
      .get('/openapi.json', jsonDocument(document))
      // Targets of the `type` of a problem and the `guide` of a cause.
      .get('/problems/:code', (req, res) => {
        res.redirect(302, `/docs/reference/errors#${encodeURIComponent(req.params.code)}`)
      })
      .get('/causes/:code', (req, res) => {
        res.redirect(302, `/docs/reference/causes#${encodeURIComponent(req.params.code)}`)
      })
      .get('/docs', allowInlineStyles, (_req, res) => {
        res.render('onboarding/docs', { title: 'API reference', nav: docsNav('/docs') })
      })
      // At the visitor's host: the page's CSP allows no other.
      .get(
        '/docs/openapi.json',
        jsonDocument(() => referenceDocument(document(), api.routes, '/api/v1')),
      )
      .get('/docs/api', (_req, res) => {
        res.render('onboarding/docs/api', locals())
      })
      .use(documentationPages({ site, document, documents }))
  )
}

type Operation = {
  operationId: string
  requestBody?: { content: { 'application/json'?: { example?: unknown } } }
}

const note = `

**Try it** with a key of [test mode](/docs/guides/test-mode), \`cwk_test_…\`. This page sends no live key and forgets the key when you leave it. With [\`@causeway/client\`](/docs/packages/client), \`causeway\` in the samples is \`createCauseway({ url, apiKey })\`.`

/** `server`: for requests sent from the page. */
export const referenceDocument = (document: OpenApiDocument, routes: readonly ApiRoute[], server: string) => ({
  ...document,
  info: { ...document.info, description: `${document.info.description}${note}` },
  servers: [{ url: server }],
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, withSample(routes, operation as Operation)]),
      ),
    ]),
  ),
})

function withSample(routes: readonly ApiRoute[], operation: Operation) {
  const route = routes.find(({ operationId }) => operationId === operation.operationId)
  if (!route) return operation
  const source = clientSample(route, operation.requestBody?.content['application/json']?.example)
  return { ...operation, 'x-codeSamples': [{ lang: 'js', label: '@causeway/client', source }] }
}
