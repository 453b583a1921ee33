import type { DocumentParts } from '../../../kit/http/openapi/document-parts.ts'
import { Failure, type FailureCode, failures } from '../../domain/failure.ts'
import { toProblem } from '../problem.ts'
import type { ApiRoute } from '../route.ts'
import { problemHeaders } from './openapi-headers.ts'

/** Failures that any request can get. */
const always: readonly FailureCode[] = [
  'body_unreadable',
  'credential_invalid',
  'key_purpose',
  'body_too_large',
  'content_type_unsupported',
  'input_invalid',
  'rate_limited',
  'unexpected',
  'store_unavailable',
]

const Problem = { $ref: '#/components/schemas/Problem' }

/** Code generators write a type for each name: one per code, and one response for what many operations share. */
export function problemDescriber(parts: DocumentParts, publicUrl: string) {
  const schemas: Record<string, object> = {}
  const responses: Record<string, object> = {}
  const response = (description: string, status: string, schema: object, codes: readonly FailureCode[]) => ({
    description,
    headers: parts.responseHeaders(problemHeaders(status, codes)),
    content: {
      'application/problem+json': { schema, example: exampleProblem(codes.at(-1) ?? 'unexpected', publicUrl) },
    },
  })
  const typed = (code: FailureCode) => {
    const name = `${nameOf(code)}Problem`
    schemas[name] = {
      description: `${failures[code].title}.`,
      allOf: [
        Problem,
        { type: 'object', properties: { status: { const: failures[code].status }, code: { const: code } } },
      ],
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const problem = (status: string, codes: readonly FailureCode[]) => {
    const types = codes.map(typed)
    const schema = types.length === 1 ? { ...types[0] } : { oneOf: types }
    const described = response(codes.join(', '), status, schema, codes)
    return codes.length > maxShared ? described : shared(codes.map(nameOf).join('Or'), described)
  }
  const shared = (name: string, described: object) => {
    responses[name] = described
    return { $ref: `#/components/responses/${name}` }
  }
  /** For requests that reach no route. */
  const other = shared(
    'OtherProblem',
    response('Another problem of the list (RFC 9457).', 'default', Problem, ['method_not_allowed']),
  )
  return {
    components: { schemas, responses },
    other,

    of(route: ApiRoute): Record<string, object> {
      const all = Object.entries(byStatus([...always, ...ownFailures(route)]))
      return { ...Object.fromEntries(all.map(([status, codes]) => [status, problem(status, codes)])), default: other }
    },
  }
}

/** More codes are particular to one operation. */
const maxShared = 2

const nameOf = (code: FailureCode) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The failures of a route beside those of any request, by status. */
export const ownProblems = (route: ApiRoute) => byStatus(ownFailures(route))

const exampleProblem = (code: FailureCode, publicUrl: string) =>
  toProblem(new Failure(code, failures[code].explanation.replaceAll('`', '')), 'req_q3Tz8Lw1Vb0k', publicUrl)

/** A route with parameters can answer 404; a POST can get a used Idempotency-Key. */
const ownFailures = ({ params, method, failures: own }: ApiRoute): FailureCode[] => [
  ...(Object.keys(params.shape).length > 0 ? (['not_found'] as const) : []),
  ...(method === 'post' ? (['idempotency_key_reused', 'idempotency_key_busy'] as const) : []),
  ...own,
]

function byStatus(codes: readonly FailureCode[]): Record<string, FailureCode[]> {
  const grouped: Record<string, FailureCode[]> = {}
  for (const code of new Set(codes)) {
    const { status } = failures[code]
    grouped[status] = [...(grouped[status] ?? []), code]
  }
  return grouped
}
