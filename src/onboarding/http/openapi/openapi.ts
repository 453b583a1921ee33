import { atOnce } from '../../../kit/cache/slices.ts'
import { ndjsonType } from '../../../kit/http/ndjson.ts'
import { type DescribedRoute, describeApiInSteps, type RouteRules } from '../../../kit/http/openapi/document.ts'
import { documentParts } from '../../../kit/http/openapi/document-parts.ts'
import type { ApiRoute } from '../route.ts'
import { ProblemAnswer } from '../schemas.ts'
import { answerHeaders, idempotencyKey } from './openapi-headers.ts'
import { describeMessages, type MessageDescription } from './openapi-messages.ts'
import { problemDescriber } from './openapi-problems.ts'
import { relayOperations, relayPath } from './relay-paths.ts'

export type DescribedApi = { routes: readonly ApiRoute[]; messages: readonly MessageDescription[]; publicUrl: string }

/** In the order in which a tenant's developer needs them. Operators' calls are last. */
export const apiTags = [
  { name: 'Connect sessions', description: 'Send a user to link an account, and confirm who came back.' },
  { name: 'Links', description: 'Attempts to link an account: how far they came, and why they stopped.' },
  { name: 'Connections', description: 'Linked accounts: their health, and what can be done about it.' },
  { name: 'Webhooks', description: 'Be told what happens, and see what was delivered.' },
  { name: 'Integrations', description: 'What can be linked, and with which OAuth clients.' },
  { name: 'Imports', description: 'Bring grants that you already have.' },
  { name: 'Campaigns', description: 'Re-link sessions for many connections at once.' },
  { name: 'Erasures', description: 'Remove everything that names one of your users.' },
  { name: 'Tenants', description: 'Customers of the deployment, each with a workspace on the platform.' },
  { name: 'Audit', description: 'Who changed what.' },
]

const description = `Link third-party accounts of end users to tenants.

Lists come in pages: send the \`nextCursor\` of one as \`cursor\` for the next; the last page has none. Every POST takes an
\`Idempotency-Key\`. Errors are problems (RFC 9457) with a \`code\`. What does not work has a \`cause\`, which says whose
move it is. All keys of a tenant share one limit of requests per minute; above it the answer is 429, and \`Retry-After\`
says how many seconds to wait.`

export const openApiDocument = (api: DescribedApi) => atOnce(openApiInSteps(api))

export function* openApiInSteps({ routes, messages, publicUrl }: DescribedApi) {
  const parts = documentParts()
  const problems = problemDescriber(parts, publicUrl)
  const rulesOf = (route: ApiRoute): RouteRules => ({
    responseHeaders: answerHeaders(route.method),
    ...(route.method === 'post' && { requestHeaders: idempotencyKey }),
    answerTypes: [...(route.csv ? ['text/csv'] : []), ...(route.lines ? [ndjsonType] : [])],
    problems: problems.of(route),
  })
  parts.translate(ProblemAnswer, 'output')
  function* describedRoutes(): Generator<DescribedRoute> {
    for (const route of routes) yield [route, rulesOf(route)]
  }
  const document = yield* describeApiInSteps(parts, describedRoutes(), {
    info: {
      title: 'Causeway',
      version: '1',
      description,
      contact: { name: 'This deployment', url: `${publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/api/v1` }],
    tags: apiTags,
    security: [{ apiKey: [] }],
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: cwk_…' } },
    components: problems.components,
    webhooks: describeMessages(parts, messages, 'Webhooks'),
  })
  const paths: typeof document.paths = { ...document.paths, [relayPath]: relayOperations(problems.other) }
  return { ...document, paths }
}
