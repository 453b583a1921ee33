// Maps errors of a vendor's server by who can fix them. HTTP bodies are never passed on.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { AnswerTooLarge, GrantRevoked, ThirdPartyError, VendorRedirects } from '../../domain/connection.ts'
import { urlRequired } from '../../domain/repair.ts'
import { ScopeMissing, UrlsRequired, VendorRefusal } from '../../domain/vendor/vendor-mcp.ts'
import { tooComplex } from './modest-messages.ts'

export class TokenFailure extends Error {}

const maxMessageChars = 2_000
const maxScopeChars = 1_000

export function translateVendorError(error: unknown, connection: string): unknown {
  const known = [error, (error as { cause?: unknown } | undefined)?.cause].find(isOurs)
  if (known instanceof TokenFailure) return known.cause
  if (known) return known
  if (error instanceof InsufficientScopeError) return new ScopeMissing(error.requiredScope?.slice(0, maxScopeChars))
  if (error instanceof ProtocolError) return refusal(error)
  if (error instanceof SdkHttpError) {
    // The server also rejected a fresh token.
    if (error.status === 401) return new GrantRevoked(connection)
    if (error.status && error.status >= 300 && error.status < 400) return new VendorRedirects()
    return new ThirdPartyError(`It answered ${error.status}.`)
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new ThirdPartyError('It did not answer in time.')
  return new ThirdPartyError('Its response violates the protocol.')
}

const internalError = -32_603

export const asksOutsideOfTools = () =>
  new VendorRefusal(internalError, 'The server asks its user something, which is passed on for tools only.')

const isOurs = (error: unknown) =>
  error instanceof GrantRevoked || error instanceof ThirdPartyError || error instanceof TokenFailure

function refusal({ code, message, data }: ProtocolError): Error {
  if (code === urlRequired) return new UrlsRequired((data as { elicitations?: unknown } | undefined)?.elicitations)
  if (code === tooComplex) return new AnswerTooLarge('50,000 values')
  return new VendorRefusal(code, message.slice(0, maxMessageChars))
}

/** The session is unknown or the connection closed, so the server did nothing. */
export const wasNotSent = (error: unknown): boolean =>
  (error instanceof SdkHttpError && error.status === 404) ||
  (error instanceof SdkError && error.code === SdkErrorCode.NotConnected)

/** Any response in the protocol proves that the session works. */
export const isOfSession = (error: unknown): boolean =>
  !(error instanceof ProtocolError) && !(error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
