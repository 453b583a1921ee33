import { ndjsonType } from '../../../kit/http/ndjson.ts'
import { describeApi, type RouteRules } from '../../../kit/http/openapi/document.ts'
import { documentParts } from '../../../kit/http/openapi/document-parts.ts'
import type { ApiRoute } from '../route.ts'
import { ProblemAnswer } from '../schemas.ts'
import { answerHeaders, idempotencyKey } from './openapi-headers.ts'
import { describeMessages, type MessageDescription } from './openapi-messages.ts'
import { problemDescriber } from './openapi-problems.ts'

export type DescribedApi = { routes: readonly ApiRoute[]; messages: readonly MessageDescription[]; publicUrl: string }

const tags = [
  { name: 'Tenants', description: 'Customers of the deployment, each with a workspace on the platform.' },
  { name: 'Integrations', description: 'What can be linked, and with which OAuth clients.' },
  { name: 'Connect sessions', description: 'Send a user to link an account, and confirm who came back.' },
  { name: 'Links', description: 'Attempts to link an account: how far they came, and why they stopped.' },
  { name: 'Connections', description: 'Linked accounts: their health, and what can be done about it.' },
  { name: 'Imports', description: 'Bring grants that you already have.' },
  { name: 'Erasures', description: 'Remove everything that names one of your users.' },
  { name: 'Campaigns', description: 'Re-link sessions for many connections at once.' },
  { name: 'Webhooks', description: 'Be told what happens, and see what was delivered.' },
  { name: 'Audit', description: 'Who changed what.' },
]

const description = `Link third-party accounts of end users to tenants.

Lists come in pages: send the \`nextCursor\` of one as \`cursor\` for the next; the last page has none. Every POST takes an
\`Idempotency-Key\`. Errors are problems (RFC 9457) with a \`code\`. What does not work has a \`cause\`, which says whose
move it is. All keys of a tenant share one limit of requests per minute; above it the answer is 429, and \`Retry-After\`
says how many seconds to wait.`

export function openApiDocument({ routes, messages, publicUrl }: DescribedApi) {
  const parts = documentParts()
  const problems = problemDescriber(parts)
  const rulesOf = (route: ApiRoute): RouteRules => ({
    responseHeaders: answerHeaders(route.method),
    ...(route.method === 'post' && { requestHeaders: idempotencyKey }),
    answerTypes: [...(route.csv ? ['text/csv'] : []), ...(route.lines ? [ndjsonType] : [])],
    problems: problems.of(route),
  })
  parts.translate(ProblemAnswer, 'output')
  return describeApi(
    parts,
    routes.map((route) => [route, rulesOf(route)]),
    {
      info: {
        title: 'Causeway',
        version: '1',
        description,
        contact: { name: 'This deployment', url: `${publicUrl}/docs` },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: `${publicUrl}/api/v1` }],
      tags,
      security: [{ apiKey: [] }],
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: cwk_…' } },
      components: { responses: problems.components },
      webhooks: describeMessages(parts, messages, 'Webhooks'),
    },
  )
}
