import { z } from 'zod'

/** The body of every failed control-plane request but one. */
export const ControlPlaneError = z.object({ code: z.int(), error: z.string(), message: z.string() })
export type ControlPlaneError = z.infer<typeof ControlPlaneError>

/** The one that has no `code`: the interface document fixes its two members. */
export const InvalidApiVersion = z.object({ error: z.literal('invalid_api_version'), message: z.string() })
export type InvalidApiVersion = z.infer<typeof InvalidApiVersion>

export const gatewayErrorCodes = [
  'ROUTE_NOT_FOUND',
  'WORKLOAD_NOT_FOUND',
  'WORKSPACE_NOT_FOUND',
  'WORKLOAD_UNAVAILABLE',
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
  'FORBIDDEN',
  'BAD_REQUEST',
  'USAGE_LIMIT_EXCEEDED',
  'REQUEST_ENTITY_TOO_LARGE',
  'INTERNAL_ERROR',
] as const

export const GatewayErrorCode = z.enum(gatewayErrorCodes)
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
