// The grant `exchange`: the first access token is exchanged once for a lasting one.
import { FetchError, type GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { registrationCause } from '../../../domain/callback.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'
import type { RefreshRequest } from '../../../domain/ports/provider.ts'
import { newestToken } from './newest-token.ts'
import { keptAnswer, type RequestTrace } from './token-fetch.ts'
import { nameOf } from './token-wire.ts'
import { translateError } from './translate-error.ts'

type Needs = { fetch: GuardedFetch; now(): Date; tokenEndpoint: string }

export async function exchangeToken(
  { fetch, now, tokenEndpoint }: Needs,
  request: RefreshRequest,
): Promise<RequestTrace> {
  const { integration, client, raw, keep, note } = request
  const { token } = newestToken(raw, undefined, 'access_token')
  if (!integration.exchange || !token) throw new DependencyError('grant_revoked', { detail: 'no access token' })
  const seen: RequestTrace = {}
  const { url, options } = wireOf(integration, client, token.reveal(), tokenEndpoint)
  const about = { integration, nonce: '', issuer: undefined, keep, note, call: 'token_exchange' } as const
  const answer = await keptAnswer({ fetch, now, seen, request: about }, url, options).catch((error) => {
    if (seen.storeError) throw seen.storeError
    throw error instanceof FetchError || error instanceof DependencyError ? translateError(error, seen) : error
  })
  if (answer.ok || answer.status === 200) return seen
  throw await refusalOf(answer)
}

function wireOf(integration: Integration, client: OAuthClient, token: string, tokenEndpoint: string) {
  const { exchange, parameterNames, tokenRequest } = integration
  if (!exchange) throw new Error('the profile has an exchange')
  const parameters = new URLSearchParams({
    ...exchange.extra,
    grant_type: exchange.grantType,
    [nameOf('client_id', parameterNames)]: client.id,
    ...(client.secret && { [nameOf('client_secret', parameterNames)]: client.secret.reveal() }),
    [exchange.tokenParameter]: token,
  })
  const address = exchange.url ?? tokenEndpoint
  const headers = { ...tokenRequest.headers, accept: 'application/json' }
  if (exchange.method === 'GET') {
    const options = { method: 'GET' as const, headers, body: undefined, redirect: 'manual' as const }
    return { url: `${address}${address.includes('?') ? '&' : '?'}${parameters}`, options }
  }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  return {
    url: address,
    options: { method: 'POST' as const, headers: form, body: parameters, redirect: 'manual' as const },
  }
}

async function refusalOf(answer: Response): Promise<DependencyError> {
  if (answer.status === 429 || answer.status >= 500)
    return new DependencyError('provider_unavailable', { retry: {}, detail: `${answer.status}` })
  const said = (await answer.json().catch(() => ({}))) as { error?: unknown }
  const cause = typeof said.error === 'string' ? registrationCause(said.error) : undefined
  return new DependencyError(cause ?? 'grant_unusable', { detail: 'exchange' })
}
