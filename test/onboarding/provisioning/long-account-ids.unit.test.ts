import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { compileProfile } from '../../../src/onboarding/integrations/profile.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'

const answering = (body: string): GuardedFetch =>
  Object.assign(
    async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) }),
    { mayCall: () => true, close: async () => undefined },
  )

const tokens = '"access_token":"a","refresh_token":"r","token_type":"bearer","expires_in":3600'

test.each([
  ['figma', `{${tokens},"user_id":1234567890123456789}`, '1234567890123456789'],
  ['figma', `{${tokens},"user_id":7,"user_id_string":"1234567890123456789"}`, '1234567890123456789'],
  ['line', `{${tokens},"userId":1234567890123456789}`, '1234567890123456789'],
])('the account ID of %s in %s is not rounded', async (id, body, account) => {
  const client = { id: 'client-1', secret: new Secret('secret-1') }
  const integration = { ...compileProfile(shippedCatalogue().get(id)!.profile()), client }
  const provider = openidProvider({
    fetch: answering(body),
    redirectUri: () => 'https://connect.example.com/cb',
    now: () => new Date(),
  })

  const linked = await provider.exchange({
    integration,
    client,
    code: new Secret('code-1'),
    issuer: undefined,
    nonce: 'n'.repeat(43),
    verifier: new Secret('v'.repeat(43)),
    config: {},
    keep: async () => undefined,
  })

  expect(linked.account?.id).toBe(account)
})
