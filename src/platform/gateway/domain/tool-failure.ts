import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import {
  AddressBlocked,
  AnswerTooLarge,
  ClientRejected,
  GrantRevoked,
  NotLinked,
  ProfileMismatch,
  RefreshRefused,
  ThirdPartyError,
  VendorRedirects,
} from './connection.ts'
import type { Integration } from './integration.ts'
import { ScopeMissing, VendorRefusal } from './vendor/vendor-mcp.ts'

type At = { connection: { name: string }; integration: { displayName: string } }

export type ToolFailure = { message: string; code: ToolErrorCode; scope?: string }

export function toolFailure(error: unknown, { connection, integration }: At): ToolFailure | undefined {
  const { displayName } = integration
  if (error instanceof NotLinked) {
    const message = `The connection "${connection.name}" has no account of ${displayName} yet. Ask its owner to link one.`
    return { message, code: 'not_linked' }
  }
  if (error instanceof GrantRevoked) {
    const message = `The connection "${connection.name}" to ${displayName} needs re-linking: its authorization was revoked or has expired. Ask the owner of the connection to link the account again.`
    return { message, code: 'grant_revoked' }
  }
  if (error instanceof ScopeMissing) {
    const message = `${displayName} requires permissions that the connection "${connection.name}" lacks. Ask the owner of the connection to link the account again and to grant them.`
    return { message, code: 'insufficient_scope', ...(error.scope && { scope: error.scope }) }
  }
  if (error instanceof AnswerTooLarge) {
    const message = `The response of ${displayName} is larger than ${error.limit}. Request less data.`
    return { message, code: 'third_party_error' }
  }
  if (error instanceof ProfileMismatch) {
    const message = `The connection "${connection.name}" to ${displayName} cannot be refreshed: ${error.message} Ask the operator to correct the profile of ${displayName}; retries don't help.`
    return { message, code: 'profile_mismatch' }
  }
  if (error instanceof AddressBlocked) {
    const message = `${displayName} was not called: ${error.message} Ask the operator to allow the address (MCP_EGRESS_ALLOW) or to correct it; retries don't help.`
    return { message, code: 'address_blocked' }
  }
  if (error instanceof VendorRedirects) {
    const message = `${displayName} was not called: ${error.message} Ask the operator to set its final address; retries don't help.`
    return { message, code: 'server_redirects' }
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

type ApiRefusal = { error: string }

export function refusalIn(body: string, { successMember, errorsMember }: Integration['api']): ApiRefusal | undefined {
  if (successMember === undefined && errorsMember === undefined) return undefined
  const answer = membersOf(body)
  if (successMember !== undefined && answer[successMember] === false) return { error: String(answer.error) }
  const errors = errorsMember === undefined ? undefined : answer[errorsMember]
  return Array.isArray(errors) && errors.length > 0 ? { error: graphQlCode(errors[0]) } : undefined
}

function membersOf(body: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(body)
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** GraphQL puts error codes in `extensions` (October 2021, section 7.1.2). */
const graphQlCode = (error: unknown): string => {
  const { extensions } = (error ?? {}) as { extensions?: { code?: unknown } }
  return String(extensions?.code ?? '')
}
