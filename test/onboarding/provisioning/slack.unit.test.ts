import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { compileProfile } from '../../../src/onboarding/integrations/profile.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'

const scope = 'channels:read,channels:history,search:read,chat:write'
const answer = {
  ok: true,
  team: { id: 'T1', name: 'Acme' },
  authed_user: { id: 'U1', scope, access_token: 'xoxp-1', refresh_token: 'xoxe-1', token_type: 'user' },
}

const fetch: GuardedFetch = Object.assign(
  async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(answer)),
  }),
  { mayCall: () => true, close: async () => undefined },
)

const client = { id: 'client-1', secret: new Secret('secret-1') }
const provider = openidProvider({ fetch, redirectUri: () => 'https://connect.example.com/cb', now: () => new Date() })

function slackUser() {
  const profile = shippedCatalogue().get('slack-user')?.profile()
  if (!profile) throw new Error('slack-user is not in the catalogue')
  return { ...compileProfile(profile), client }
}

const flow = { nonce: 'n'.repeat(43), verifier: new Secret('v'.repeat(43)) }

test('a user token of Slack is requested with user_scope', async () => {
  const url = await provider.authorizationUrl({
    integration: slackUser(),
    client,
    state: 'state-1',
    forceConsent: false,
    ...flow,
  })

  const { searchParams } = new URL(url)
  expect([searchParams.get('user_scope'), searchParams.get('scope')]).toEqual([scope, null])
})

test('the account of a user token of Slack is the user', async () => {
  const { account } = await provider.exchange({
    integration: slackUser(),
    client,
    code: new Secret('code-1'),
    issuer: undefined,
    config: {},
    keep: async () => undefined,
    ...flow,
  })

  expect(account?.id).toBe('U1')
})

// https://api.slack.com/methods/auth.revoke
test('a bot of Slack is not deactivated while another connection of the workspace needs it', () => {
  expect(shippedCatalogue().get('slack')?.profile().revocation.reach).toBe('grant')
})
