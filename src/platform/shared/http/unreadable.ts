import type { ControlPlaneError, ControlPlaneErrorWord, GatewayError } from '../../../contract/error-bodies.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Refusal, Unreadable } from '../../../kit/http/unreadable.ts'
import { isGatewayPath } from './addressed-to.ts'

const words: Record<Unreadable['status'], [error: ControlPlaneErrorWord, message: string]> = {
  400: ['invalid_request', 'The request is malformed.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  413: ['body_too_large', 'The body is too large.'],
  415: ['unsupported_media_type', 'The body must be in UTF-8.'],
  417: ['expectation_failed', 'Only 100-continue is supported.'],
  421: ['misdirected_request', 'This server does not serve that host.'],
  431: ['headers_too_large', 'The headers are too large.'],
}

const type = 'application/json; charset=utf-8'

export const unreadableRefusal =
  (headers: BrandedHeaders, now: () => Date) =>
  ({ status, path = '/v0', detail }: Unreadable): Refusal => {
    if (!isGatewayPath(path)) return { type, body: JSON.stringify(controlPlaneBody(status, detail)) }
    const body = gatewayBody(status, detail, now())
    const marks = { [headers.source]: 'platform', [headers.errorCode]: body.error.code }
    return { type, body: JSON.stringify(body), headers: marks }
  }

const smallBodyMs = 30_000

/** Gateway routes forward large and slow bodies. Other bodies are small documents. */
export const bodyDeadlines = ({ maxMs, silentMs }: { maxMs: number; silentMs: number }) => ({
  bodyMs: (path: string): number => (isGatewayPath(path) ? maxMs : smallBodyMs),
  silentMs: (path: string): number => (isGatewayPath(path) ? silentMs : smallBodyMs),
})

/** These headers must not be repeated, because readers could use different values. */
export const singularHeaders = ({ authorization, workspace, threadId, version }: BrandedHeaders): string[] =>
  [authorization, workspace, threadId, version].map((name) => name.toLowerCase())

function controlPlaneBody(status: Unreadable['status'], detail: string | undefined): ControlPlaneError {
  const [error, message] = words[status]
  return { code: status, error, message: detail ?? message }
}

function gatewayBody(status: Unreadable['status'], detail: string | undefined, now: Date): GatewayError {
  const code = status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'BAD_REQUEST'
  const [, message] = words[status]
  return {
    error: { code, message: detail ?? message, status, retryable: status === 408, timestamp: now.toISOString() },
  }
}
