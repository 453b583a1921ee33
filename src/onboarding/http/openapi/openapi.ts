// The document of the API: what is particular to it, beside what the routes say of themselves.
import { describeApi, type RouteRules } from '../../../kit/http/openapi/document.ts'
import { documentParts } from '../../../kit/http/openapi/document-parts.ts'
import type { ApiRoute } from '../route.ts'
import { ProblemAnswer } from '../schemas.ts'
import { answerHeaders, idempotencyKey } from './openapi-headers.ts'
import { problemDescriber } from './openapi-problems.ts'

export function openApiDocument(routes: readonly ApiRoute[], publicUrl: string) {
  const parts = documentParts()
  const problems = problemDescriber(parts)
  const rulesOf = (route: ApiRoute): RouteRules => ({
    responseHeaders: answerHeaders(route.method),
    ...(route.method === 'post' && { requestHeaders: idempotencyKey }),
    ...(route.csv && { answerTypes: ['text/csv'] }),
    problems: problems.of(route),
  })
  return describeApi(
    parts,
    routes.map((route) => [route, rulesOf(route)]),
    {
      info: { title: 'Causeway', version: '1', description: 'Link third-party accounts to tenants.' },
      servers: [{ url: `${publicUrl}/api/v1` }],
      security: [{ apiKey: [] }],
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: cwk_…' } },
      components: { responses: problems.components, schemas: { Problem: parts.translate(ProblemAnswer, 'output') } },
    },
  )
}
