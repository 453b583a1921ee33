import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { GuardedFetch, GuardedRequest } from '../../../src/kit/fetch/guarded-fetch.ts'
import { readIntegrations } from '../../../src/onboarding/integrations/integrations-file.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'

const entry = { profile: 'ebay', clientId: 'client-1', clientSecret: 'secret-1' }
const redirectUriName = 'Acme-AcmeConnect-PRD-abcdef'
const client = { id: 'client-1', secret: new Secret('secret-1') }
const flow = { nonce: 'n'.repeat(43), verifier: new Secret('v'.repeat(43)) }

function ebay() {
  const [read] = readIntegrations().parse({ integrations: [{ ...entry, redirectUriName }] })
  if (!read) throw new Error('the entry was not read')
  return { ...read.profile, client }
}

function recordingProvider(bodies: URLSearchParams[]) {
  const fetch = async (_url: string, { body = '' }: GuardedRequest = {}) => {
    bodies.push(new URLSearchParams(String(body)))
    return { status: 400, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"recorded"}') }
  }
  const guarded: GuardedFetch = Object.assign(fetch, { mayCall: () => true, close: async () => undefined })
  return openidProvider({ fetch: guarded, redirectUri: () => 'https://connect.example.com/cb', now: () => new Date() })
}

test('an app that names redirect URIs gets the name in both requests', async () => {
  const bodies: URLSearchParams[] = []
  const provider = recordingProvider(bodies)
  const integration = ebay()

  const url = await provider.authorizationUrl({ integration, client, state: 'state-1', forceConsent: false, ...flow })
  const code = { code: new Secret('code-1'), issuer: undefined, config: {}, keep: async () => undefined }
  await provider.exchange({ integration, client, ...code, ...flow }).catch(() => undefined)

  expect(new URL(url).searchParams.get('redirect_uri')).toBe(redirectUriName)
  expect(bodies.map((body) => body.get('redirect_uri'))).toEqual([redirectUriName])
})

test('an entry of such an app has to state the name', () => {
  const { error } = readIntegrations().safeParse({ integrations: [entry] })

  expect(error?.issues.map(({ path, message }) => [path.join('/'), message])).toEqual([
    ['integrations/0/redirectUriName', 'is required: the name that the app has given to the redirect URI'],
  ])
})
