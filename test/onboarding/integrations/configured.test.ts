// Custom providers: differences from the standard are configuration, not code.
import { afterEach, expect, test } from 'vitest'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import {
  type Behaviour,
  type ProviderDouble,
  providerClient,
  startProvider,
} from '../../support/doubles/provider/provider.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

type Configuration = {
  shape: string
  behaviour: Partial<Behaviour>
  entry(provider: ProviderDouble): Record<string, unknown>
  /** Parameters of the authorization request. */
  scope: string
  account: { id: string; label: string } | undefined
  /** Secrets that the platform refreshes with. */
  secret: string | undefined
}

const slack: Configuration = {
  shape: 'like Slack: endpoints, scopes set apart by commas, the account in the token answer, tokens of any type',
  behaviour: misbehaviours.likeSlack,
  entry: ({ url }) => ({
    issuer: undefined,
    endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
    scopes: [{ name: 'channels:read' }, { name: 'chat:write' }],
    scopeSeparator: ',',
    account: shippedCatalogue().get('slack')?.profile().account,
    tokenAnswer: { successMember: 'ok', anyTokenType: true },
  }),
  scope: 'channels:read,chat:write',
  account: { id: 'T024BE7LD', label: 'Acme Team' },
  secret: providerClient.secret,
}

const slackOrganization: Configuration = {
  ...slack,
  shape: 'like Slack Enterprise Grid: an organization instead of a team',
  behaviour: misbehaviours.likeSlackOrganization,
  account: { id: 'E1XXX', label: 'Starship' },
}

const github: Configuration = {
  shape: 'like GitHub: endpoints, no list of scopes, an account with a number at an address of its own',
  behaviour: misbehaviours.likeGitHub,
  entry: ({ url }) => ({
    issuer: undefined,
    endpoints: { authorization: `${url}/authorize`, token: `${url}/token`, userinfo: `${url}/userinfo` },
    scopes: [{ name: 'read:user', optional: true }],
    account: { from: 'userinfo', id: 'id', label: 'login' },
  }),
  scope: 'read:user',
  account: { id: '583231', label: 'octocat' },
  secret: providerClient.secret,
}

const basic: Configuration = {
  shape: 'an issuer that wants the client in a Basic header',
  behaviour: misbehaviours.wantsBasic,
  entry: () => ({ clientAuthentication: 'client_secret_basic' }),
  scope: 'openid email files.read',
  account: { id: 'account-1', label: 'first@provider.example' },
  secret: providerClient.secret,
}

const publicClient: Configuration = {
  shape: 'a public client, without a secret',
  behaviour: misbehaviours.takesPublicClients,
  entry: () => ({ clientAuthentication: 'none', clientSecret: undefined, account: { from: 'none' } }),
  scope: 'openid email files.read',
  account: undefined,
  secret: undefined,
}

let world: OnboardingWorld

afterEach(() => world.close())

async function linkWith({ behaviour, entry }: Configuration, more: Partial<Behaviour> = {}) {
  const provider = await startProvider()
  world = await startOnboarding({ provider, integration: entry(provider), env: { VERIFY_FUNCTIONS: 'false' } })
  provider.misbehave({ callback: { iss: undefined }, ...behaviour, ...more })
  provider.misbehave({ metadata: { authorization_response_iss_parameter_supported: undefined } })
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

test.each([slack, slackOrganization, github, basic, publicClient])('links with $shape', async (configured) => {
  const link = await linkWith(configured)

  expect(link).toMatchObject({ status: 'linked' })
  const { rows: accounts } = await world.sql.query('select account_id as id, account_label as label from connections')
  expect(accounts).toEqual([configured.account ?? { id: null, label: null }])
  expect(world.provider.seen.authorizations[0]).toMatchObject({ scope: configured.scope })
  const [made] = world.platform.connections.values()
  const secret = made?.spec.secret as Record<string, string> | undefined
  expect(secret).toMatchObject({ CLIENT_ID: providerClient.id, REFRESH_TOKEN: world.provider.issued[0]?.token })
  expect(secret?.CLIENT_SECRET || undefined).toBe(configured.secret)
})

test.each([
  { like: 'Slack, with ok: false', configured: slack, refusal: misbehaviours.refusesLikeSlack },
  { like: 'GitHub, with a status of 200', configured: github, refusal: misbehaviours.refusesLikeGitHub },
])(
  'a code rejected as by $like ends the link, and creates nothing on the platform',
  async ({ configured, refusal }) => {
    const link = await linkWith(configured, refusal)

    expect(link).toMatchObject({ status: 'failed', cause: { code: 'code_refused' } })
    expect(world.platform.posts()).toEqual([])
    expect(world.provider.seen.tokenRequests).toHaveLength(1)
  },
)
