import * as openid from 'openid-client'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'

export function clientAuthentication(integration: Integration, { id, secret }: OAuthClient): openid.ClientAuth {
  if (integration.clientAuthentication === 'none' || !secret) return openid.None()
  if (integration.clientAuthentication === 'client_secret_post') return openid.ClientSecretPost(secret.reveal())
  return (_server, _client, _body, headers) => headers.set('authorization', basicCredentials(id, secret.reveal()))
}

/**
 * RFC 6749 §2.3.1: both parts as forms are encoded. The library also encodes hyphens, dots and underscores, which forms
 * leave alone: a server that does not decode what it gets would refuse every client whose id is a UUID. The platform
 * refreshes with the same header.
 */
export function basicCredentials(id: string, secret: string): string {
  const pair = [id, secret].map((part) => new URLSearchParams({ part }).toString().slice('part='.length)).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
