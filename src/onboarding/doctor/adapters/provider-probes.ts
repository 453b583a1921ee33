// Asks a provider without a user: a junk code, a made-up state, and redirects that nobody follows.
import { randomBytes } from 'node:crypto'
import { gapsOf } from '../../../contract/integrations/address-template.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { GuardedRequest, ResolvingFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { blockedHosts, calledTemplates, isWhole } from '../../domain/doctor/called-addresses.ts'
import type { ProbeResult, ProbeSilence } from '../../domain/doctor/probe.ts'
import { inputWords } from '../../domain/doctor/static-checks.ts'
import type { Integration } from '../../domain/integration.ts'
import type { ProviderProbes, ReadySubject } from '../../domain/ports/doctor.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import { answerOf, publishedIn, silenceOf } from './probe-answer.ts'
import { tokenProbe } from './token-probe.ts'

type Needs = { fetch: ResolvingFetch; provider: Pick<Provider, 'authorizationUrl'> }

export function providerProbes({ fetch, provider }: Needs): ProviderProbes {
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
    async mayAsk({ integration: { issuer, endpoints } }) {
      const addresses = [issuer, endpoints?.authorization, endpoints?.token].filter(isWhole)
      return (await Promise.all(addresses.map(fetch.maySend))).includes(true)
    },
  }
}

const junk = () => randomBytes(32).toString('base64url')

async function authorizationUrl(provider: Needs['provider'], { integration, client }: ReadySubject): Promise<URL> {
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
