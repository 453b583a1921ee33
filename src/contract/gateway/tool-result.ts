import { z } from 'zod'

/**
 * `not_linked`: no account is linked to the function yet; nothing was sent.
 * `grant_revoked`: the third party no longer accepts the grant; the user must re-link.
 * `refresh_refused`: the token endpoint rejected the refresh without a reason.
 * `profile_mismatch`: the refresh differs from the integration's profile, or the tool's URL is not allowed by it. Nothing
 * was sent; the operator must fix the profile.
 * `address_blocked`: the URL is private or without TLS; the operator must allow or correct it.
 * `server_redirects`: the MCP server redirects, which is not followed; the operator must set its final address.
 * `insufficient_scope`: the grant does not cover the call; `scope` is the required scope (RFC 6750 §3.1).
 * `client_rejected`: the third party rejected the OAuth client.
 * `third_party_unavailable`: no response or an invalid one.
 * `third_party_error`: the API returned an error.
 * `arguments_invalid`: the arguments are invalid; nothing was sent.
 * `rate_limited`: the operator's limit for this tool is reached.
 * `tool_not_offered`: the operator does not allow the tool.
 * `tool_held`: the vendor changed the tool and the change is not approved.
 * `approval_required`: a person has to allow the call at `approvalUrl`; nothing was sent.
 * `approval_declined`: a person declined this call; nothing was sent.
 */
export const ToolErrorCode = z.enum([
  'not_linked',
  'grant_revoked',
  'refresh_refused',
  'profile_mismatch',
  'address_blocked',
  'server_redirects',
  'insufficient_scope',
  'client_rejected',
  'third_party_unavailable',
  'third_party_error',
  'arguments_invalid',
  'rate_limited',
  'tool_not_offered',
  'tool_held',
  'approval_required',
  'approval_declined',
])
export type ToolErrorCode = z.infer<typeof ToolErrorCode>

/**
 * The `_meta` of a failed tool result, or the `data` of a JSON-RPC error if no tool was called. `repairUrl`: a page for the
 * person whose call failed. `approvalUrl`: a page for the people who may allow the call.
 */
export const ToolErrorMeta = z.looseObject({
  code: ToolErrorCode,
  scope: z.string().max(1_000).optional(),
  repairUrl: z.url().optional(),
  approvalUrl: z.url().optional(),
})
export type ToolErrorMeta = z.infer<typeof ToolErrorMeta>
