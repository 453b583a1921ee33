import type { Router } from 'express'
import { lazy } from '../../../kit/cache/lazy.ts'
import { inSlices } from '../../../kit/cache/slices.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import { installedDocuments } from '../../../kit/markdown/read-documents.ts'
import { type ApiGroup, apiGroups, describeCalls } from '../documentation/api-reference.ts'
import { documentationPages } from '../documentation/documentation-pages.ts'
import { generatedPages } from '../documentation/generated-pages.ts'
import { documentationSite } from '../documentation/site.ts'
import { type DescribedApi, openApiInSteps } from './openapi.ts'

export function apiDocs(api: DescribedApi): Router {
  const document = lazy(() => inSlices(openApiInSteps(api)))
  const groups = apiGroups(api.routes)
  const calls = new Map(
    groups.map((group) => [group, lazy(async () => inSlices(describeCalls(await document(), api.routes, group)))]),
  )
  const callsOf = async (group: ApiGroup) => (await calls.get(group)?.()) ?? []
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
      .use(documentationPages({ site, groups, callsOf, documents }))
  )
}
