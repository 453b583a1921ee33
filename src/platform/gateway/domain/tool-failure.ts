// What a client is told of a failure at a third party, and the code that programs act on.
import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import {
  AddressBlocked,
  AnswerTooLarge,
  ClientRejected,
  GrantRevoked,
  ProfileMismatch,
  RefreshRefused,
  ThirdPartyError,
} from './connection.ts'
import { ScopeMissing, VendorRefusal } from './vendor/vendor-mcp.ts'

type At = { connection: { name: string }; integration: { displayName: string } }

export type ToolFailure = { message: string; code: ToolErrorCode; scope?: string }

/** Returns undefined for what is no failure of the third party but a fault of ours. */
export function toolFailure(error: unknown, { connection, integration }: At): ToolFailure | undefined {
  const { displayName } = integration
  if (error instanceof GrantRevoked) {
    const message = `The connection "${connection.name}" to ${displayName} needs re-linking: its authorization was revoked or has expired. Ask the owner of the connection to link the account again.`
    return { message, code: 'grant_revoked' }
  }
  if (error instanceof ScopeMissing) {
    const message = `${displayName} asks for more permissions than the connection "${connection.name}" has. Ask the owner of the connection to link the account again and to grant them.`
    return { message, code: 'insufficient_scope', ...(error.scope && { scope: error.scope }) }
  }
  if (error instanceof AnswerTooLarge) {
    const message = `The answer of ${displayName} is larger than ${error.limit}. Ask for less at a time.`
    return { message, code: 'third_party_error' }
  }
  if (error instanceof ProfileMismatch) {
    const message = `The connection "${connection.name}" to ${displayName} cannot be refreshed: ${error.message} Ask the operator of this deployment to correct the profile of ${displayName}; until then, trying again does not help.`
    return { message, code: 'profile_mismatch' }
  }
  if (error instanceof AddressBlocked) {
    const message = `${displayName} was not asked: ${error.message} Ask the operator of this deployment to allow the address (MCP_EGRESS_ALLOW), or to correct it; until then, trying again does not help.`
    return { message, code: 'address_blocked' }
  }
  if (error instanceof ThirdPartyError) {
    return { message: `${displayName} is not available: ${error.message} Try again later.`, code: codeOf(error) }
  }
  if (error instanceof VendorRefusal) return { message: error.message, code: 'third_party_error' }
  return undefined
}

function codeOf(error: ThirdPartyError): ToolErrorCode {
  if (error instanceof ClientRejected) return 'client_rejected'
  return error instanceof RefreshRefused ? 'refresh_refused' : 'third_party_unavailable'
}
