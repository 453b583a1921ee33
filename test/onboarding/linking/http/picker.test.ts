import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider } from '../../../support/doubles/provider/provider.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'
import { titleOf } from '../../../support/worlds/relink-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding({ others: { second: await startProvider() } })
})
afterAll(() => world.close())

const mintChoice = (integrationIds: string[] = [], more = {}) =>
  world.mint({ integrationId: undefined, integrationIds, ...more })

const choose = async (url: string, name: string, browser = new HttpBrowser()) => {
  const { text } = await browser.get(url)
  const [, href = ''] = new RegExp(`<a class="choice" href="([^"]+=${name})"`).exec(text) ?? []
  return { browser, at: new URL(href, url).href }
}

test('the user picks an app and ends with a connection to it', async () => {
  const minted = await mintChoice()
  const { browser, at } = await choose(minted.url, 'second')
  const page = await browser.get(at)

  const { query } = await world.consent({ ...minted, url: at }, browser)
  const { body } = await world.complete(minted, query)

  expect(titleOf(page)).toBe('Connect Provider to Acme')
  expect(page.text).toContain('Choose another app')
  expect(body).toMatchObject({ status: 'linked', integrationId: 'second' })
  const { body: session } = await world.api('GET', `/connect-sessions/${minted.id}`)
  expect(session).toMatchObject({ integrationId: 'second', integrationIds: [], linkId: body.id })
})

test('shows existing connections beside their app', async () => {
  const endUser = { id: 'has-one' }
  const first = await world.mint({ endUser })
  await world.complete(first, (await world.consent(first)).query)

  const { text } = await new HttpBrowser().get((await mintChoice([], { endUser })).url)

  expect(text).toContain('Connected as first@provider.example')
})

test('escapes the search text', async () => {
  const minted = await mintChoice()

  const page = await new HttpBrowser().get(`${minted.url}?q=${encodeURIComponent('"><script>1</script>')}`)

  expect(page.status).toBe(200)
  expect(page.text).not.toContain('<script>1')
  expect(page.text).toContain('No app found.')
})

test.each(['?page=0', '?page=-1', '?page=9999', '?page=x&page=y', '?q=a&q=b', '?app=a&app=b', '?app='])(
  'an edited URL (%s) shows the page',
  async (query) => {
    const minted = await mintChoice()

    expect((await new HttpBrowser().get(`${minted.url}${query}`)).status).toBe(200)
  },
)

test('Cancel redirects the browser with the cancelled outcome', async () => {
  const minted = await mintChoice()
  const browser = new HttpBrowser()
  await browser.get(minted.url)

  const page = await browser.post(`${minted.url}?cancel`)

  const [, back = ''] = /^0; url=(.*)$/.exec(page.headers.get('refresh') ?? '') ?? []
  expect(Object.fromEntries(new URL(back).searchParams)).toMatchObject({
    connect_session_id: minted.id,
    status: 'cancelled',
  })
})

test.each([
  [{ integrationIds: [] }, '/integrationIds'],
  [{ integrationId: undefined }, '/integrationId'],
  [{ integrationId: undefined, integrationIds: ['provider', 'nothing'] }, '/integrationIds/1'],
  [{ integrationId: undefined, integrationIds: ['provider', 'provider'] }, '/integrationIds'],
  [{ integrationId: undefined, integrationIds: ['provider'], inputs: { subdomain: 'acme' } }, '/inputs'],
])('rejects a session with %j', async (members, pointer) => {
  const body = {
    ...{ tenantId: 'acme', integrationId: 'provider', endUser: { id: 'user-1' } },
    ...{ returnUrl: 'https://acme.example/integrations/return', ...members },
    completionChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  }

  const answer = await world.api('POST', '/connect-sessions', body)

  expect(answer).toMatchObject({ status: 422, body: { code: 'input_invalid' } })
  expect(answer.body.errors[0].pointer).toBe(pointer)
})
