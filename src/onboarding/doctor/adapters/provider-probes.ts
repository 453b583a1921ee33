// Probes a provider without a user: a junk code, a random state, and no redirect is followed.
import { randomBytes } from 'node:crypto'
import { gapsOf } from '../../../contract/integrations/address-template.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { GuardedRequest, ProbingFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { blockedHosts, calledTemplates, isWhole } from '../../domain/doctor/called-addresses.ts'
import { otherAuthentication, type ProbeResult, type ProbeSilence } from '../../domain/doctor/probe.ts'
import { inputWords } from '../../domain/doctor/static-checks.ts'
import type { Integration, OAuthClient } from '../../domain/integration.ts'
import type { ProviderProbes, ReadySubject } from '../../domain/ports/doctor.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import { answerOf, publishedIn, silenceOf } from './probe-answer.ts'

export function providerProbes(fetch: ProbingFetch, provider: AuthorizationUrls): ProviderProbes {
  const ask = (url: string, request?: GuardedRequest, errorMember?: string): Promise<ProbeResult> =>
    fetch(url, request).then(answerOf(errorMember), silenceOf)
  const discovered = async ({ issuer }: Integration) => {
    if (issuer === undefined) return undefined
    const asked = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    return { asked, published: 'text' in asked ? publishedIn(asked.text) : undefined }
  }
  return {
    metadata: ({ integration }) => discovered(integration),
    async token(subject, isOtherWay) {
      const { endpoints, tokenAnswer } = subject.integration
      const url = endpoints?.token ?? (await discovered(subject.integration))?.published?.token
      if (url === undefined || !isWhole(url)) return unknown('its token endpoint', subject.integration)
      return ask(url, tokenProbe(subject, isOtherWay), tokenAnswer.errorMember)
    },
    async authorize(subject, redirectUri) {
      const { endpoints } = subject.integration
      const isKnown = endpoints === undefined || isWhole(endpoints.authorization)
      const url = isKnown ? await authorizationUrl(provider, subject).catch(() => undefined) : undefined
      if (url === undefined) return unknown('its authorization endpoint', subject.integration)
      const { redirect_uri: name = 'redirect_uri' } = subject.integration.parameterNames
      if (redirectUri !== undefined) url.searchParams.set(name, redirectUri)
      return ask(url.href, { headers: { accept: 'text/html' } })
    },
    blockedHosts: ({ integration }) => blockedHosts(integration, fetch.mayCall),
    openInputs: ({ integration }) => openInputs(integration),
    mayAsk: async ({ integration }) =>
      (await Promise.all(askedAddresses(integration).map(fetch.maySend))).includes(true),
    async outage({ integration }) {
      const addresses = askedAddresses(integration).filter(fetch.mayCall)
      return addresses.length > 0 ? fetch.outage(addresses) : undefined
    },
  }
}

const askedAddresses = ({ issuer, endpoints, mcpUrl }: Integration): string[] =>
  [mcpUrl, issuer, endpoints?.authorization, endpoints?.token].filter(isWhole)

type AuthorizationUrls = Pick<Provider, 'authorizationUrl'>

const junk = () => randomBytes(32).toString('base64url')

async function authorizationUrl(provider: AuthorizationUrls, { integration, client }: ReadySubject): Promise<URL> {
  const flow = { state: junk(), nonce: junk(), verifier: new Secret(junk()), forceConsent: false }
  return new URL(await provider.authorizationUrl({ integration, client, ...flow }))
}

function openInputs(integration: Integration): string[] {
  const { authorization = '' } = integration.endpoints ?? {}
  const gaps = [authorization, ...calledTemplates(integration)].flatMap(gapsOf)
  return [...new Set(gaps)].filter((name) => Object.hasOwn(integration.inputs, name))
}

function unknown(what: string, integration: Integration): ProbeSilence {
  const inputs = openInputs(integration)
  const reason = inputs.length > 0 ? `${what} depends on ${inputWords(inputs)}` : `${what} is not known`
  return { reason, isOurs: false, isUnasked: true }
}

/** A token request like that of a link, with a code that was never issued. */
function tokenProbe({ integration, client, redirectUri }: ReadySubject, isOtherWay: boolean): GuardedRequest {
  const { tokenRequest, clientAuthentication, pkce, redirectUriName } = integration
  const method = isOtherWay ? otherAuthentication(clientAuthentication) : clientAuthentication
  const isJson = tokenRequest.format === 'json'
  const members = renamed(integration, {
    ...tokenRequest.extra,
    grant_type: 'authorization_code',
    code: `doctor-${randomBytes(12).toString('hex')}`,
    redirect_uri: redirectUriName ?? redirectUri,
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

function basic({ id, secret }: OAuthClient): string {
  const encoded = [id, secret?.reveal() ?? ''].map((part) => new URLSearchParams({ part }).toString().slice(5))
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`
}
