import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { compileProfile } from '../../../src/onboarding/integrations/profile.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const idToken = (claims: object) => {
  const seconds = Math.floor(Date.now() / 1_000)
  const all = {
    iss: 'https://www.linkedin.com/oauth',
    aud: 'client-1',
    sub: 'member-1',
    iat: seconds,
    exp: seconds + 600,
  }
  return [encoded({ alg: 'RS256' }), encoded({ ...all, ...claims }), 'signature'].join('.')
}

function answering(token: string): GuardedFetch {
  const fetch = async (url: string) => {
    const answer = url.includes('userinfo')
      ? { sub: 'member-1', name: 'Member One' }
      : { access_token: 'access-1', refresh_token: 'refresh-1', token_type: 'bearer', id_token: token }
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(answer)),
    }
  }
  return Object.assign(fetch, { mayCall: () => true, close: async () => undefined })
}

function exchange(nonce: 'checked' | 'unsupported') {
  const profile = shippedCatalogue().get('linkedin')?.profile()
  if (!profile) throw new Error('linkedin is not in the catalogue')
  const client = { id: 'client-1', secret: new Secret('secret-1') }
  const provider = openidProvider({
    fetch: answering(idToken({})),
    redirectUri: (id) => `https://connect.example.com/oauth/callback/${id}`,
    now: () => new Date(),
  })
  return provider.exchange({
    integration: { ...compileProfile({ ...profile, nonce }), client },
    client,
    code: new Secret('code-1'),
    issuer: undefined,
    nonce: 'n'.repeat(43),
    verifier: new Secret('v'.repeat(43)),
    config: {},
    keep: async () => undefined,
  })
}

test('links a provider without nonce support if its ID token has none', async () => {
  const { account } = await exchange('unsupported')

  expect(account).toEqual({ id: 'member-1', label: 'Member One' })
})

test('rejects an ID token without a nonce if nonces are checked', async () => {
  await expect(exchange('checked')).rejects.toThrow()
})
