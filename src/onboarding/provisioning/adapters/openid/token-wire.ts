import type { CustomFetchOptions } from 'openid-client'
import { isAmong } from '../../../../contract/integrations/oauth.ts'
import type { Answer } from '../../../../kit/fetch/guarded-fetch.ts'
import { isMembers, type Members } from '../../../../kit/token-answer/answer-objects.ts'
import { codeAt } from '../../../../kit/token-answer/member-at.ts'
import type { Integration } from '../../../domain/integration.ts'
import { requestedScopes } from '../../../domain/scopes.ts'

type WireRequest = { url: string; options: CustomFetchOptions }

const departs = ({ pkce, redirectUriName, tokenRequest, refresh, parameterNames }: Integration): boolean =>
  pkce === 'none' ||
  redirectUriName !== undefined ||
  tokenRequest.format === 'json' ||
  refresh.scopeNeeded ||
  refresh.url !== undefined ||
  [tokenRequest.extra, tokenRequest.headers, refresh.extra, parameterNames].some((said) => Object.keys(said).length > 0)

export function wireRequest(url: string, options: CustomFetchOptions, integration: Integration): WireRequest {
  if (!departs(integration)) return { url, options }
  const { tokenRequest, refresh, pkce, parameterNames, redirectUriName } = integration
  const parameters = new Map(new URLSearchParams(String(options.body ?? '')))
  const isRefresh = parameters.get('grant_type') === 'refresh_token'
  // The library always has a verifier. A provider without PKCE may reject the parameter.
  if (pkce === 'none') parameters.delete('code_verifier')
  if (redirectUriName !== undefined && !isRefresh) parameters.set('redirect_uri', redirectUriName)
  const extra = { ...tokenRequest.extra, ...(isRefresh ? refresh.extra : {}) }
  for (const [name, value] of Object.entries(extra)) parameters.set(name, value)
  if (isRefresh && refresh.scopeNeeded)
    parameters.set('scope', requestedScopes(integration).join(integration.scopeSeparator))
  const named = [...parameters].map(([name, value]): [string, string] => [nameOf(name, parameterNames), value])
  const isJson = tokenRequest.format === 'json'
  return {
    url: isRefresh ? (refresh.url ?? url) : url,
    options: {
      ...options,
      headers: {
        ...tokenRequest.headers,
        ...options.headers,
        ...(isJson && { 'content-type': 'application/json' }),
      },
      body: isJson ? JSON.stringify(Object.fromEntries(named)) : new URLSearchParams(named),
    },
  }
}

/** For revocations, where `token` can have another name too. */
export function withOwnNames(options: CustomFetchOptions, { parameterNames, revocation }: Integration) {
  if (!(options.body instanceof URLSearchParams)) return options
  const token = revocation.parameter ?? 'token'
  const named = [...options.body].map(([name, value]): [string, string] => [
    name === 'token' ? token : nameOf(name, parameterNames),
    value,
  ])
  return { ...options, body: new URLSearchParams(named) }
}

export const nameOf = (name: string, names: Integration['parameterNames']): string =>
  names[name as keyof typeof names] ?? name

type ErrorWords = Pick<Integration, 'tokenAnswer' | 'brokenGrantErrors' | 'clientErrors'>

export function translatedRefusal(answer: Answer, integration: ErrorWords): Answer {
  const members = parsed(answer.body)
  const error = members && standardError(members, answer.status, integration)
  if (!error) return answer
  const body = Buffer.from(JSON.stringify({ error }))
  return { status: 400, headers: { 'content-type': 'application/json' }, body }
}

export function standardError(members: Members, status: number, profile: ErrorWords): string | undefined {
  const { errorMember = 'error' } = profile.tokenAnswer
  const error = codeAt(members, errorMember)
  if (error === undefined) return undefined
  if (isAmong(profile.clientErrors, error, status)) return 'invalid_client'
  if (isAmong(profile.brokenGrantErrors, error, status)) return 'invalid_grant'
  return errorMember === 'error' ? undefined : error
}

function parsed(body: Buffer): Members | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isMembers(value) ? value : undefined
  } catch {
    return undefined
  }
}
