import * as openid from 'openid-client'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'

export function clientAuthentication(integration: Integration, client: OAuthClient): openid.ClientAuth {
  const { clientAuthentication: usual, refresh, revocation } = integration
  const byDefault = authenticateBy(usual, client)
  if (!refresh.clientAuthentication && !revocation.clientAuthentication) return byDefault
  const atRefresh = authenticateBy(refresh.clientAuthentication ?? usual, client)
  const atRevocation = authenticateBy(revocation.clientAuthentication ?? usual, client)
  return (server, known, body, headers) => {
    const isRefresh = body.get('grant_type') === 'refresh_token'
    const isRevocation = !body.has('grant_type') && body.has('token')
    const authenticate = isRefresh ? atRefresh : isRevocation ? atRevocation : byDefault
    return authenticate(server, known, body, headers)
  }
}

function authenticateBy(method: Integration['clientAuthentication'], { id, secret }: OAuthClient): openid.ClientAuth {
  if (method === 'none' || !secret) return openid.None()
  if (method === 'client_secret_post') return openid.ClientSecretPost(secret.reveal())
  return (_server, _client, _body, headers) => headers.set('authorization', basicCredentials(id, secret.reveal()))
}

/** RFC 6749 §2.3.1. The library also encodes hyphens; servers that do not decode would reject UUIDs as client IDs. */
export function basicCredentials(id: string, secret: string): string {
  const pair = [id, secret].map((part) => new URLSearchParams({ part }).toString().slice('part='.length)).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
