// Builds the refresh request as the profile describes it; the default is RFC 6749, section 6.
import type { Integration } from '../domain/integration.ts'

export const userAgent = 'causeway'

type RefreshMessage = { headers: Record<string, string>; body: string }

export function refreshRequest(integration: Integration, secrets: Record<string, string>): RefreshMessage {
  const { tokenRequest, refresh, scopes, scopeSeparator } = integration
  const members = {
    ...tokenRequest.extra,
    ...refresh.extra,
    ...(refresh.scopeNeeded && { scope: scopes.map(({ name }) => name).join(scopeSeparator) }),
    grant_type: 'refresh_token',
    refresh_token: secrets.REFRESH_TOKEN ?? '',
  }
  const { authorization, ...client } = clientMembers(integration, secrets)
  const isJson = tokenRequest.format === 'json'
  const named = renamed({ ...members, ...client }, integration)
  return {
    headers: {
      ...tokenRequest.headers,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': userAgent,
      ...(authorization && { authorization }),
    },
    body: isJson ? JSON.stringify(named) : new URLSearchParams(named).toString(),
  }
}

function clientMembers(integration: Integration, secrets: Record<string, string>): Record<string, string> {
  const { CLIENT_ID = '', CLIENT_SECRET = '' } = secrets
  const method = integration.refresh.clientAuthentication ?? integration.clientAuthentication
  if (method === 'none') return { client_id: CLIENT_ID }
  if (method === 'client_secret_post') return { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
  // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
  const pair = [CLIENT_ID, CLIENT_SECRET].map((part) => new URLSearchParams({ p: part }).toString().slice(2)).join(':')
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

const renamed = (members: Record<string, string>, { parameterNames }: Integration): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      parameterNames[name as keyof typeof parameterNames] ?? name,
      value,
    ]),
  )
