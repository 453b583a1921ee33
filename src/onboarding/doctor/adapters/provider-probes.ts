// Asks a provider without a user: a junk code, a made-up state, and redirects that nobody follows.
import { randomBytes } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { GuardedFetch, GuardedRequest } from '../../../kit/fetch/guarded-fetch.ts'
import type { ProbeResult } from '../../domain/doctor/probe.ts'
import type { Integration } from '../../domain/integration.ts'
import type { ProviderProbes, ReadySubject } from '../../domain/ports/doctor.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import { answerOf, publishedIn, silenceOf } from './probe-answer.ts'
import { tokenProbe } from './token-probe.ts'

type Needs = { fetch: GuardedFetch; provider: Pick<Provider, 'authorizationUrl'> }

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
      if (url === undefined || !isWhole(url)) return { reason: 'its token endpoint is not known', isOurs: false }
      return ask(url, tokenProbe(subject, isOtherWay), tokenAnswer.errorMember)
    },
    async authorize(subject, redirectUri) {
      const url = await authorizationUrl(provider, subject).catch(() => undefined)
      if (url === undefined) return { reason: 'its authorization endpoint is not known', isOurs: false }
      const { redirect_uri: name = 'redirect_uri' } = subject.integration.parameterNames
      if (redirectUri !== undefined) url.searchParams.set(name, redirectUri)
      return ask(url.href, { headers: { accept: 'text/html' } })
    },
    blockedHosts({ integration }) {
      const blocked = addressesOf(integration).filter((address) => !fetch.mayCall(address))
      return [...new Set(blocked.map((address) => new URL(address).host))]
    },
  }
}

const junk = () => randomBytes(32).toString('base64url')

async function authorizationUrl(provider: Needs['provider'], { integration, client }: ReadySubject): Promise<URL> {
  const flow = { state: junk(), nonce: junk(), verifier: new Secret(junk()), forceConsent: false }
  return new URL(await provider.authorizationUrl({ integration, client, ...flow }))
}

/** Addresses with gaps are known only once a user has typed what fills them. */
const isWhole = (address: string | undefined): address is string =>
  address !== undefined && URL.canParse(address) && !address.includes('{')

const addressesOf = ({ issuer, endpoints, refresh, revocation, mcpUrl }: Integration): string[] =>
  [
    mcpUrl,
    endpoints ? undefined : issuer,
    endpoints?.token,
    endpoints?.userinfo,
    endpoints?.jwks,
    refresh.url,
    revocation.url,
  ].filter(isWhole)
