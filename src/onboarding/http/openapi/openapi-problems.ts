// What a route may refuse, status by status, as the OpenAPI document describes it.
import type { FailureCode } from '../../domain/failure.ts'
import { statuses } from '../problem.ts'
import type { ApiRoute } from '../route.ts'
import { type HeaderName, headersOf } from './openapi-headers.ts'

/** Any request can meet these: they come from what stands before the routes, or behind them. */
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

const extraHeaders: Record<string, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** The refusals of one route, each under its status; those that are the same everywhere are written once. */
export function problemsOf(route: ApiRoute) {
  const common = byStatus(always)
  const all = byStatus([...always, ...byShape(route), ...route.failures])
  return Object.fromEntries(
    Object.entries(all).map(([status, codes]) => [
      status,
      codes.length === common[status]?.length ? { $ref: `#/components/responses/${status}` } : problem(status, codes),
    ]),
  )
}

export const problemComponents = Object.fromEntries(
  Object.entries(byStatus(always)).map(([status, codes]) => [status, problem(status, codes)]),
)

/** Whatever else: a request that never reached a route. */
export const anyProblem = {
  description: 'Another problem of the list (RFC 9457).',
  headers: headersOf('X-Request-Id'),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** What names a thing may name one that is not there; what takes an Idempotency-Key may get a used one. */
const byShape = ({ params, method }: ApiRoute): FailureCode[] => [
  ...(Object.keys(params.shape).length > 0 ? (['not_found'] as const) : []),
  ...(method === 'post' ? (['idempotency_key_reused', 'idempotency_key_busy'] as const) : []),
]

function byStatus(codes: readonly FailureCode[]): Record<string, FailureCode[]> {
  const grouped: Record<string, FailureCode[]> = {}
  for (const code of new Set(codes)) grouped[statuses[code]] = [...(grouped[statuses[code]] ?? []), code]
  return grouped
}

function problem(status: string, codes: readonly FailureCode[]) {
  const narrowed = { properties: { status: { const: Number(status) }, code: { enum: codes } } }
  return {
    description: codes.join(', '),
    headers: headersOf('X-Request-Id', ...(extraHeaders[status] ?? [])),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem', ...narrowed } } },
  }
}
