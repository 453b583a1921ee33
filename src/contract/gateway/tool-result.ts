// What a failed call of a function's tool says beside its text, for programs that act on it.
import { z } from 'zod'

/**
 * `grant_revoked`: the third party does not accept the grant any more, and only its user can give a new one.
 * `refresh_refused`: its token endpoint refused to refresh the grant, and did not say why.
 * `profile_mismatch`: it takes or answers a refresh otherwise than the profile of the integration says, or the tool is
 * described at an address that the profile does not allow, so that nothing was sent: the operator has to correct it.
 * `address_blocked`: the platform does not call its address, which is private or without TLS; the operator has to allow or
 * to correct it.
 * `insufficient_scope`: the grant does not cover this; `scope` beside it is what the third party asks for (RFC 6750 §3.1).
 * `client_rejected`: it does not accept the OAuth client. `third_party_unavailable`: it did not answer, or not as it
 * should. `third_party_error`: its API answered, and said no. `arguments_invalid`: nothing was sent,
 * because of the arguments.
 * `rate_limited`: the operator's limit for this tool is used up. `tool_not_offered`: the operator does not allow this.
 * `tool_held`: the vendor's own server has changed this tool, and nobody has approved it so far.
 */
export const toolErrorCodes = [
  'grant_revoked',
  'refresh_refused',
  'profile_mismatch',
  'address_blocked',
  'insufficient_scope',
  'client_rejected',
  'third_party_unavailable',
  'third_party_error',
  'arguments_invalid',
  'rate_limited',
  'tool_not_offered',
  'tool_held',
] as const

export const ToolErrorCode = z.enum(toolErrorCodes)
export type ToolErrorCode = z.infer<typeof ToolErrorCode>

/** The `_meta` of a tool's result that is an error, and the `data` of a JSON-RPC error where no tool was called. */
export const ToolErrorMeta = z.looseObject({ code: ToolErrorCode, scope: z.string().max(1_000).optional() })
export type ToolErrorMeta = z.infer<typeof ToolErrorMeta>
