// What went wrong at a vendor's server, by whose move it is. Nothing of an HTTP body is passed on.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { AnswerTooLarge, GrantRevoked, ThirdPartyError } from '../../domain/connection.ts'
import { ScopeMissing, VendorRefusal } from '../../domain/vendor/vendor-mcp.ts'
import { tooComplex } from './modest-messages.ts'

/** A failure of ours on the way to a token, which the library must not take for the server's. */
export class TokenFailure extends Error {}

const longestMessage = 2_000
const longestScope = 1_000

export function translateVendorError(error: unknown, connection: string): unknown {
  const known = [error, (error as { cause?: unknown } | undefined)?.cause].find(isOurs)
  if (known instanceof TokenFailure) return known.cause
  if (known) return known
  if (error instanceof InsufficientScopeError) return new ScopeMissing(error.requiredScope?.slice(0, longestScope))
  if (error instanceof ProtocolError) return refusal(error)
  if (error instanceof SdkHttpError) {
    // A token that was fetched a moment ago, and is not taken either.
    if (error.status === 401) return new GrantRevoked(connection)
    return new ThirdPartyError(`It answered ${error.status}.`)
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new ThirdPartyError('It did not answer in time.')
  return new ThirdPartyError('It did not answer as the protocol has it.')
}

const isOurs = (error: unknown) =>
  error instanceof GrantRevoked || error instanceof ThirdPartyError || error instanceof TokenFailure

function refusal({ code, message }: ProtocolError): Error {
  if (code === tooComplex) return new AnswerTooLarge('50,000 values')
  return new VendorRefusal(code, message.slice(0, longestMessage))
}

/** It does not know the session, or there is no connection to send it by: nothing was done there. */
export const wasNotSent = (error: unknown): boolean =>
  (error instanceof SdkHttpError && error.status === 404) ||
  (error instanceof SdkError && error.code === SdkErrorCode.NotConnected)

/** An answer in the protocol, a refusal among them, says that the session is in order. */
export const isOfSession = (error: unknown): boolean =>
  !(error instanceof ProtocolError) && !(error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
