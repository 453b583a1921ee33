import { randomBytes } from 'node:crypto'
import type { GuardedRequest } from '../../../kit/fetch/guarded-fetch.ts'
import { otherAuthentication } from '../../domain/doctor/probe.ts'
import type { Integration, OAuthClient } from '../../domain/integration.ts'
import type { ReadySubject } from '../../domain/ports/doctor.ts'

/** A token request as a link would send it, with a code that nobody issued. */
export function tokenProbe({ integration, client, redirectUri }: ReadySubject, isOtherWay: boolean): GuardedRequest {
  const { tokenRequest, clientAuthentication, pkce } = integration
  const method = isOtherWay ? otherAuthentication(clientAuthentication) : clientAuthentication
  const isJson = tokenRequest.format === 'json'
  const members = renamed(integration, {
    ...tokenRequest.extra,
    grant_type: 'authorization_code',
    code: `doctor-${randomBytes(12).toString('hex')}`,
    redirect_uri: redirectUri,
    ...(pkce === 'S256' && { code_verifier: randomBytes(32).toString('base64url') }),
    ...(method !== 'client_secret_basic' && { client_id: client.id }),
    ...(method === 'client_secret_post' && client.secret && { client_secret: client.secret.reveal() }),
  })
  return {
    method: 'POST',
    headers: {
      ...tokenRequest.headers,
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'causeway',
      ...(method === 'client_secret_basic' && { authorization: basic(client) }),
    },
    body: isJson ? JSON.stringify(members) : new URLSearchParams(members).toString(),
  }
}

const renamed = ({ parameterNames }: Integration, members: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      parameterNames[name as keyof typeof parameterNames] ?? name,
      value,
    ]),
  )

/** RFC 6749 §2.3.1: both halves are form-encoded before they are joined. */
function basic({ id, secret }: OAuthClient): string {
  const encoded = [id, secret?.reveal() ?? ''].map((part) => new URLSearchParams({ part }).toString().slice(5))
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`
}
