import { FetchError, type GuardedFetch, type GuardedRequest } from '../../../../kit/fetch/guarded-fetch.ts'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'
import type { RevocationOutcome } from '../../../domain/ports/provider.ts'
import { basicCredentials } from './client-authentication.ts'
import { isBlocked } from './translate-error.ts'

type Revocable = {
  integration: Integration
  client: OAuthClient
  token: string
  account: string | undefined
}

type OwnStyle = Exclude<Integration['revocation']['style'], 'rfc7009' | 'none'>

const asJson = (members: Record<string, string>) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(members),
})

const asForm = (members: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(members).toString(),
})

const styles: Record<
  OwnStyle,
  (of: Revocable) => Required<Pick<GuardedRequest, 'method' | 'headers'>> & { body: string }
> = {
  bearer: ({ integration: { revocation }, token }) => {
    const { parameter, extra } = revocation
    const { headers, body } = asForm({ ...extra, ...(parameter && { [parameter]: token }) })
    return { method: 'POST', body, headers: { ...headers, authorization: `Bearer ${token}` } }
  },
  delete: ({ integration: { revocation }, client, token }) => {
    const { headers, body } = asJson({ ...revocation.extra, [revocation.parameter ?? 'access_token']: token })
    return {
      method: 'DELETE',
      body,
      headers: { ...headers, authorization: basicCredentials(client.id, client.secret?.reveal() ?? '') },
    }
  },
  client_header: ({ integration: { revocation }, client, token }) => {
    const { scheme = 'Client', parameter = 'access_token', extra } = revocation
    const { headers, body } = asJson({ ...extra, client_id: client.id, [parameter]: token })
    return {
      method: 'POST',
      body,
      headers: { ...headers, authorization: `${scheme} ${client.secret?.reveal() ?? ''}` },
    }
  },
  json: ({ integration: { revocation }, client, token }) => {
    const { parameter = 'token', clientParameters: names, extra } = revocation
    const { headers, body } = asJson({
      ...extra,
      [names?.client_id ?? 'client_id']: client.id,
      [names?.client_secret ?? 'client_secret']: client.secret?.reveal() ?? '',
      [parameter]: token,
    })
    return { method: 'POST', body, headers }
  },
  deauthorize: ({ integration: { revocation }, client, account = '' }) => {
    const { parameter = 'account', extra } = revocation
    const { headers, body } = asForm({ ...extra, client_id: client.id, [parameter]: account })
    return { method: 'POST', body, headers: { ...headers, authorization: `Bearer ${client.secret?.reveal() ?? ''}` } }
  },
}

export async function revokeByStyle(fetch: GuardedFetch, of: Revocable): Promise<RevocationOutcome> {
  const { revocation, tokenAnswer } = of.integration
  const { style, url = '', method } = revocation
  if (style === 'none' || style === 'rfc7009') return 'not_offered'
  if (style === 'deauthorize' && !of.account) return 'refused'
  const request = styles[style](of)
  const headers = { ...revocation.headers, ...request.headers, accept: 'application/json', 'user-agent': 'causeway' }
  const address = url.replaceAll('{client_id}', encodeURIComponent(of.client.id))
  try {
    const answer = await fetch(address, { ...request, method: method ?? request.method, headers })
    return isDone(answer, tokenAnswer.successMember) ? 'revoked' : 'refused'
  } catch (error) {
    if (error instanceof FetchError) return isBlocked(error) ? 'blocked' : 'refused'
    throw error
  }
}

/** Some providers always answer 200 and report success in a member. */
function isDone({ status, body }: { status: number; body: Buffer }, successMember: string | undefined): boolean {
  if (status < 200 || status > 299) return false
  if (successMember === undefined) return true
  try {
    return JSON.parse(body.toString())[successMember] !== false
  } catch {
    return false
  }
}
