// Converts requests to the one format that the authorization server accepts.
import type { Request } from 'express'
import { isStorable } from '../../shared/http/body-limits.ts'

export type Parameters = Record<string, string>

export class OAuthRequestError extends Error {
  constructor(
    readonly error: 'invalid_request' | 'invalid_scope' | 'invalid_target',
    readonly description: string,
  ) {
    super(description)
  }
}

/** The server would silently drop unknown scopes. */
export function assertScopesKnown(scope: string | undefined, known: readonly string[]): void {
  const unknown = (scope ?? '').split(' ').find((word) => word !== '' && !known.includes(word))
  if (unknown !== undefined) throw new OAuthRequestError('invalid_scope', "'scope' contains an unknown scope")
}

export function readParameters(req: Request): Parameters {
  const body: unknown = req.body ?? {}
  const parameters = texts(body as object)
  const basic = basicCredentials(req.get('Authorization'))
  if (!basic) return parameters
  // RFC 6749 §2.3: a client must not use more than one authentication method per request.
  if (parameters.client_secret !== undefined) {
    throw new OAuthRequestError('invalid_request', "client_secret must not be combined with an 'Authorization' header")
  }
  const known = texts(basic)
  if (parameters.client_id !== undefined && parameters.client_id !== known.client_id) {
    throw new OAuthRequestError('invalid_request', "client_id differs from the 'Authorization' header")
  }
  return { ...parameters, ...known }
}

/** Rejects characters that the database can't store. Empty parameters count as omitted (RFC 6749 §3.2). */
export const texts = (given: object): Parameters =>
  Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, oneText(name, value)] as const)
      .filter(([, value]) => value !== ''),
  )

function oneText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new OAuthRequestError('invalid_request', `'${name}' must be a single string`)
  if (!isStorable(value)) throw new OAuthRequestError('invalid_request', `'${name}' contains an invalid character`)
  return value
}

function basicCredentials(header: string | undefined): Parameters | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '') ?? []
  if (!encoded) return undefined
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return { client_id: formDecoded(id), client_secret: formDecoded(secret.join(':')) }
}

/** RFC 6749 §2.3.1: both parts are form-encoded. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
