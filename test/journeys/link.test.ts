import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterEach(() => world.provider.calm())
afterAll(() => world.close())

test('consent returns the user to the tenant, and completion creates a connection and a function', async () => {
  const minted = await world.mint()

  const { query } = await world.consent(minted)
  const completed = await world.complete(minted, query)

  expect(query).toMatchObject({ connect_session_id: minted.id, status: 'authorized' })
  expect(completed.body).toMatchObject({ status: 'linked', connection: { workspace: 'acme' } })
  const { name } = completed.body.connection
  expect(world.platform.connections.get(`acme/${name}`)?.spec.secret).toEqual({
    CLIENT_ID: 'client-1',
    CLIENT_SECRET: expect.stringContaining('CANARY-CLIENT-SECRET'),
    REFRESH_TOKEN: world.provider.issued.at(-1)?.token,
  })
  expect(world.platform.functions.get(`acme/${name}`)?.spec).toMatchObject({
    type: 'mcp',
    integrationConnections: [name],
  })
})

test('the authorization request has offline access, state, nonce and an S256 challenge', async () => {
  await world.consent(await world.mint())

  expect(world.provider.seen.authorizations).toEqual([
    {
      client_id: 'client-1',
      redirect_uri: `${world.url}/oauth/callback/provider`,
      response_type: 'code',
      access_type: 'offline',
      scope: 'openid email files.read',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    },
  ])
})

test('a denial returns the user with the cause, and no token is requested', async () => {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }

  const { query } = await world.consent(await world.mint())

  expect(query).toMatchObject({ status: 'denied', cause_code: 'consent_denied' })
  expect(world.provider.seen.tokenRequests).toEqual([])
})

test('without a refresh token the user has to consent again, and is then linked', async () => {
  world.provider.behaviour.refreshTokenOnFirstConsentOnly = true
  await world.consent(await world.mint()) // the provider knows the user from now on
  const minted = await world.mint()
  const { query, browser } = await world.consent(minted)

  const first = await world.complete(minted, query)
  const again = await browser.follow(await browser.get(first.body.continueUrl), 'https://acme.example')
  const second = await world.complete(minted, Object.fromEntries(new URL(again.url).searchParams))

  expect(first.body).toMatchObject({ status: 'pending' })
  expect(world.provider.seen.authorizations.at(-1)).toMatchObject({ prompt: 'consent' })
  expect(second.body).toMatchObject({ status: 'linked' })
})

test('once linked, the escrow is empty and the account and scopes are known', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)

  const { body } = await world.complete(minted, query)

  const { rows } = await world.sql.query('select 1 from escrow where link_id = $1', [body.id])
  expect(rows).toEqual([])
  const connection = await world.api('GET', `/connections/${body.connection.id}`)
  expect(connection.body).toMatchObject({
    status: 'active',
    scopes: ['openid', 'email', 'files.read'],
    upstreamAccount: { id: 'account-1', label: 'first@provider.example' },
  })
})

test('opening the connect page consumes nothing, and shows tenant, app and permissions', async () => {
  const minted = await world.mint()

  const pages = [await new HttpBrowser().get(minted.url), await new HttpBrowser().get(minted.url)]

  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  for (const word of ['Provider', 'Acme', 'See your files', 'user@acme.example', 'acme.example']) {
    expect(pages[1]?.text).toContain(word)
  }
})
