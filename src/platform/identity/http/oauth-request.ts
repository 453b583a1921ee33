// Brings what callers send into the one form that the authorization server takes.
import type { Request } from 'express'
import { isStorable } from '../../shared/http/body-limits.ts'

export type Parameters = Record<string, string>

/** An error response of RFC 6749, section 5.2. */
export class OAuthRequestError extends Error {
  constructor(
    readonly error: 'invalid_request' | 'invalid_scope' | 'invalid_target',
    readonly description: string,
  ) {
    super(description)
  }
}

/** The server drops scopes it does not know; a caller that misspelled one would learn of it much later. */
export function assertScopesKnown(scope: string | undefined, known: readonly string[]): void {
  const unknown = (scope ?? '').split(' ').find((word) => word !== '' && !known.includes(word))
  if (unknown !== undefined) throw new OAuthRequestError('invalid_scope', "'scope' has a word that is not a scope")
}

/** Body parameters of a form or a JSON object, with client credentials from Basic authentication among them. */
export function readParameters(req: Request): Parameters {
  const body: unknown = req.body ?? {}
  const parameters = texts(body as object)
  const basic = basicCredentials(req.get('Authorization'))
  if (!basic) return parameters
  // RFC 6749, section 2.3: a client must not use more than one way in one request.
  if (parameters.client_secret !== undefined) {
    throw new OAuthRequestError(
      'invalid_request',
      "client_secret must not be sent along with an 'Authorization' header",
    )
  }
  const known = texts(basic)
  if (parameters.client_id !== undefined && parameters.client_id !== known.client_id) {
    throw new OAuthRequestError('invalid_request', "client_id is not the client of the 'Authorization' header")
  }
  return { ...parameters, ...known }
}

/**
 * Whatever is looked up must be something that can have been stored: the store itself would call it our mistake.
 * RFC 6749, section 3.2: a parameter without a value is one that was not sent.
 */
export const texts = (given: object): Parameters =>
  Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, oneText(name, value)] as const)
      .filter(([, value]) => value !== ''),
  )

function oneText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new OAuthRequestError('invalid_request', `'${name}' must be one text`)
  if (!isStorable(value))
    throw new OAuthRequestError('invalid_request', `'${name}' has a character that no text may have`)
  return value
}

function basicCredentials(header: string | undefined): Parameters | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '') ?? []
  if (!encoded) return undefined
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return { client_id: formDecoded(id), client_secret: formDecoded(secret.join(':')) }
}

/** RFC 6749, section 2.3.1: both parts were form-encoded. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
