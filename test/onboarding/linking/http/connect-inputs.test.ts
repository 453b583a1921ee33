// Values that an app needs before sign-in, typed on the connect page or sent by the tenant.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking({
    integration: {
      inputs: {
        team: { label: 'Your team', help: 'As in its address.', example: 'acme', pattern: '[a-z]{2,20}', as: 'text' },
      },
    },
  })
})
afterAll(() => world.close())

const configOf = async (id: string) => (await world.connection(id)).config
const onPlatform = () => [...world.platform.connections.values()].map(({ spec }) => spec.config)

test('the page shows label, help and errors of each input', async () => {
  const { url } = await world.mint()
  const browser = new HttpBrowser()

  const page = await browser.get(url)
  const empty = await browser.post(url)
  const wrong = await browser.post(url, { team: '"><script>' })

  expect(page.text).toMatch(/<label for="input-team">Your team<\/label>/)
  expect(page.text).toContain('As in its address.')
  expect([empty.status, wrong.status]).toEqual([422, 422])
  expect(empty.text).toContain('Please fill this in.')
  expect(wrong.text).toContain('value="&#34;&gt;&lt;script&gt;"')
  expect(wrong.text).toContain('Enter it like this: acme')
  expect(world.provider.seen.authorizations).toEqual([])
})

test('typed values are stored with the connection and on the platform, and a re-link keeps them', async () => {
  const minted = await world.mint()
  const browser = new HttpBrowser()
  const visited = await browser.follow(await browser.post(minted.url, { team: 'acme' }), 'https://acme.example')
  const { body } = await world.complete(minted, Object.fromEntries(new URL(visited.url).searchParams))
  const { id } = body.connection

  const relinked = await world.mintRelink(id)
  const page = await browser.get(relinked.url)
  await browser.follow(await browser.post(relinked.url, { team: 'other' }), 'https://acme.example')

  expect(page.text).not.toContain('Your team')
  expect(await configOf(id)).toEqual({ team: 'acme' })
  expect(onPlatform()).toEqual([{ team: 'acme' }])
})

test('does not ask the user for inputs that the tenant provides', async () => {
  const minted = await world.mint({ inputs: { team: 'globex' } })

  const page = await new HttpBrowser().get(minted.url)
  const { body } = await world.complete(minted, (await world.consent(minted)).query)

  expect(page.text).not.toContain('Your team')
  expect(await configOf(body.connection.id)).toEqual({ team: 'globex' })
})

test.each([
  ['/inputs/team', { team: 'a/b' }],
  ['/inputs/shop', { shop: 'acme' }],
  ['/inputs/shop~1name~0', { 'shop/name~': 'acme' }],
])('validates inputs from the tenant against the profile: %s', async (pointer, inputs) => {
  const session = { tenantId: 'acme', integrationId: 'provider', endUser: { id: 'u' } }
  const more = { returnUrl: 'https://acme.example/integrations/return', completionChallenge: 'x'.repeat(43), inputs }

  const { status, body } = await world.api('POST', '/connect-sessions', { ...session, ...more })

  expect(status).toBe(422)
  expect(body.errors).toEqual([expect.objectContaining({ pointer })])
})

test('an integration lists its inputs', async () => {
  const { body } = await world.api('GET', '/integrations?available=true')

  const found = body.data.find(({ id }: { id: string }) => id === 'provider')
  expect(found.inputs).toEqual([
    { name: 'team', label: 'Your team', help: 'As in its address.', pattern: '[a-z]{2,20}' },
  ])
})
