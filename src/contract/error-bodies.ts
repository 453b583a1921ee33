import { z } from 'zod'

export const ControlPlaneErrorWord = z.enum([
  'invalid_request',
  'invalid_cursor',
  'workspace_ambiguous',
  'workspace_required',
  'authentication_required',
  'invalid_token',
  'insufficient_scope',
  'access_denied',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'workload_unavailable',
  'connection_unusable',
  'conflict',
  'in_use',
  'idempotency_key_in_progress',
  'idempotency_outcome_unknown',
  'idempotency_key_reused',
  'body_too_large',
  'unsupported_media_type',
  'expectation_failed',
  'misdirected_request',
  'too_many_requests',
  'headers_too_large',
  'secret_unreadable',
  'internal_error',
  'unavailable',
])
export type ControlPlaneErrorWord = z.infer<typeof ControlPlaneErrorWord>

export const ControlPlaneError = z.object({ code: z.int(), error: ControlPlaneErrorWord, message: z.string() })
export type ControlPlaneError = z.infer<typeof ControlPlaneError>

/** Without `code`, as the interface document requires. */
export const InvalidApiVersion = z.object({ error: z.literal('invalid_api_version'), message: z.string() })
export type InvalidApiVersion = z.infer<typeof InvalidApiVersion>

export const Refusal = z.union([ControlPlaneError, InvalidApiVersion])
export type Refusal = z.infer<typeof Refusal>

export const GatewayErrorCode = z.enum([
  'ROUTE_NOT_FOUND',
  'WORKLOAD_NOT_FOUND',
  'WORKSPACE_NOT_FOUND',
  'WORKLOAD_UNAVAILABLE',
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
  'FORBIDDEN',
  'APPROVAL_REQUIRED',
  'BAD_REQUEST',
  'CONNECTION_UNUSABLE',
  'CONFLICT',
  'TOO_MANY_REQUESTS',
  'USAGE_LIMIT_EXCEEDED',
  'REQUEST_ENTITY_TOO_LARGE',
  'SECRET_UNREADABLE',
  'INTERNAL_ERROR',
])
export type GatewayErrorCode = z.infer<typeof GatewayErrorCode>

export const GatewayError = z.object({
  error: z.object({
    code: GatewayErrorCode,
    message: z.string(),
    status: z.int(),
    retryable: z.boolean(),
    timestamp: z.iso.datetime(),
  }),
})
export type GatewayError = z.infer<typeof GatewayError>
