import type { DocumentParts } from '../../../kit/http/openapi/document-parts.ts'
import { Failure, type FailureCode, failures } from '../../domain/failure.ts'
import { toProblem } from '../problem.ts'
import type { ApiRoute } from '../route.ts'
import { problemHeaders } from './openapi-headers.ts'

/** Failures that any request can get. */
const always: readonly FailureCode[] = [
  'body_unreadable',
  'credential_invalid',
  'body_too_large',
  'content_type_unsupported',
  'input_invalid',
  'rate_limited',
  'unexpected',
  'store_unavailable',
]

const Problem = { $ref: '#/components/schemas/Problem' }

export function problemDescriber(parts: DocumentParts) {
  const common = byStatus(always)
  const response = (description: string, status: string, schema: object, code: FailureCode) => ({
    description,
    headers: parts.responseHeaders(problemHeaders(status)),
    content: { 'application/problem+json': { schema, example: exampleProblem(code) } },
  })
  const problem = (status: string, codes: readonly FailureCode[]) =>
    response(
      codes.join(', '),
      status,
      {
        allOf: [Problem, { type: 'object', properties: { status: { const: Number(status) }, code: { enum: codes } } }],
      },
      codes.at(-1) ?? 'unexpected',
    )
  /** For requests that reach no route. */
  const other = response('Another problem of the list (RFC 9457).', 'default', Problem, 'method_not_allowed')
  return {
    components: Object.fromEntries(Object.entries(common).map(([status, codes]) => [status, problem(status, codes)])),

    /** Common responses are references. */
    of(route: ApiRoute): Record<string, object> {
      const all = byStatus([...always, ...byShape(route), ...route.failures])
      const own = Object.entries(all).map(([status, codes]) => [
        status,
        codes.length === common[status]?.length ? { $ref: `#/components/responses/${status}` } : problem(status, codes),
      ])
      return { ...Object.fromEntries(own), default: other }
    },
  }
}

const exampleProblem = (code: FailureCode) =>
  toProblem(new Failure(code, failures[code].explanation.replaceAll('`', '')), 'req_q3Tz8Lw1Vb0k')

/** A route with parameters can answer 404; a POST can get a used Idempotency-Key. */
const byShape = ({ params, method }: ApiRoute): FailureCode[] => [
  ...(Object.keys(params.shape).length > 0 ? (['not_found'] as const) : []),
  ...(method === 'post' ? (['idempotency_key_reused', 'idempotency_key_busy'] as const) : []),
]

function byStatus(codes: readonly FailureCode[]): Record<string, FailureCode[]> {
  const grouped: Record<string, FailureCode[]> = {}
  for (const code of new Set(codes)) {
    const { status } = failures[code]
    grouped[status] = [...(grouped[status] ?? []), code]
  }
  return grouped
}
