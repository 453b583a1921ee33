// The API reference and the guides in a browser: with our content security policy, no third party, and test-mode keys.
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lazy } from '../../src/kit/cache/lazy.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { launchBrowser, newVisitor, type WatchedPage } from './watched-browser.ts'

// The machine may be slow.
let world: OnboardingWorld
let browser: Browser
let testKey: string

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startOnboarding(), launchBrowser()])
  const testMode = { name: 'reference', tenant: undefined, testMode: true }
  testKey = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  const tenant = { workspace: 'acme', displayName: 'Tried Tenant', returnUrls: [returnUrl] }
  await world.apiAs(testKey)('PUT', '/tenants/test_tried', tenant)
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const

type ReferencePage = WatchedPage & { sent: string[] }

async function openReference(options = {}, { isCut = false } = {}): Promise<ReferencePage> {
  const page = Object.assign(await newVisitor(browser, options), { sent: [] as string[] })
  page.on('request', (request) => page.sent.push(request.url()))
  if (isCut) await cutDocument(page)
  await page.goto(`${world.url}/docs`)
  await page.getByRole('heading', { name: 'Causeway', level: 1 }).waitFor()
  return page
}

/** Rendering takes ten seconds, so it is done once. Each test closes its dialogs. */
const onADesk = lazy(() => openReference())

/** Reduces the reference to some operations, which render faster. */
const cutDocument = (page: ReferencePage) =>
  page.route('**/docs/openapi.json', async (route) => {
    const { components, ...document } = await (await route.fetch()).json()
    const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => /^\/tenants\b/.test(path)))
    const schemas = namedIn(paths, components.schemas)
    await route.fulfill({ json: { ...document, paths, components: { ...components, schemas } } })
  })

/** The schemas that a part of the document uses, directly or indirectly. */
function namedIn(part: object, schemas: Record<string, object>): Record<string, object> {
  const known = new Set<string>()
  const follow = (each: object) => {
    for (const [, name = ''] of JSON.stringify(each).matchAll(/#\/components\/schemas\/([\w.-]+)/g)) {
      if (known.has(name)) continue
      known.add(name)
      follow(schemas[name] ?? {})
    }
  }
  follow(part)
  return Object.fromEntries([...known].map((name) => [name, schemas[name] ?? {}]))
}

/** Sends the first request of the reference (list tenants) with this key, and waits for the response. */
async function tryIt(page: ReferencePage, key: string, shown: RegExp) {
  await page.getByPlaceholder('Token').first().fill(key)
  await page
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Send get request/i }).click()
  await dialog.getByText(shown).first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
}

const apiCalls = (page: ReferencePage) => page.sent.filter((url) => url.includes('/api/v1/'))

test('the reference requests only this deployment, and logs no errors', async () => {
  const page = await onADesk()

  await page
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .waitFor()
  expect(page.sent.filter((url) => !url.startsWith(world.url) && !url.startsWith('data:'))).toEqual([])
  expect(page.complaints).toEqual([])
})

/** Known problems of the renderer. Check them at each update. */
const known = ['button-name', 'scrollable-region-focusable']

test.each([
  ['on a desk', onADesk],
  ['on a phone, in the dark', () => openReference(phone, { isCut: true })],
])('the reference %s has no new accessibility problems', async (_where, open) => {
  const page = await open()

  expect((await barriers(page)).filter((id) => !known.includes(id))).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test('samples are for the client, curl and Python', async () => {
  const page = await onADesk()

  await page.getByRole('button', { name: /Curl/ }).last().click()

  const offered = await page.getByRole('option').allInnerTexts()
  expect(offered.map((text) => text.trim()).sort()).toEqual(['@causeway/client', 'Curl', 'Requests'])
  await page.keyboard.press('Escape')
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
})

test('the page rejects a live key without sending it', async () => {
  const page = await onADesk()
  const before = apiCalls(page)

  await tryIt(page, world.key, /keys of test mode only/)

  expect(apiCalls(page)).toEqual(before)
})

test('a request is sent with a test-mode key, which is forgotten with the page', async () => {
  const page = await onADesk()
  const before = apiCalls(page)

  await tryIt(page, testKey, /Tried Tenant/)

  const kept = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`
  expect(await page.evaluate(kept)).not.toContain(testKey)
  expect(await page.evaluate('indexedDB.databases()')).toEqual([])
  expect(page.sent.filter((url) => url.includes(testKey))).toEqual([])
  expect(apiCalls(page)).toHaveLength(before.length + 1)
  await cutDocument(page)
  await page.reload()
  expect(await page.getByPlaceholder('Token').first().inputValue()).toBe('')
  expect(page.complaints).toEqual([])
})

test.each([
  ['/docs/guides', {}],
  ['/docs/guides/connect-your-users', phone],
  ['/docs/reference/events', phone],
  ['/docs/concepts', {}],
  ['/docs/api', phone],
])('the guides have no accessibility problems: %s', async (address, options) => {
  const page = await newVisitor(browser, options)

  await page.goto(`${world.url}${address}`)

  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.evaluate(leaveOneOfEachGroup)
  expect(await barriers(page)).toEqual([])
  expect(page.complaints).toEqual([])
})

/** One template renders all operations, and checking each of them takes most of the time. */
const leaveOneOfEachGroup = `document.querySelectorAll('article.card + article.card').forEach((each) => each.remove())`

const barriers = async (page: WatchedPage): Promise<string[]> => {
  await page.evaluate(axe.source)
  // Describing elements that pass is most of the work.
  const options = { resultTypes: ['violations'], selectors: false }
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id }) => id))`)
}

test('a search by keyboard finds a guide and opens it', async () => {
  const page = await newVisitor(browser)
  await page.goto(`${world.url}/docs/guides`)
  await page.getByRole('searchbox').waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('rotate signing')
  await page.getByRole('link', { name: 'Change the signing secret' }).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('A')
  await page.keyboard.press('Escape')
  await page.keyboard.type('what happens when it takes longer')
  await page.getByRole('link', { name: 'When it takes longer' }).click()

  await page.waitForURL(/connect-your-users#when-it-takes-longer$/)
  expect(page.complaints).toEqual([])
})

test('without JavaScript the reference links to the plain page, and guides are complete', async () => {
  const page = await newVisitor(browser, { javaScriptEnabled: false })
  await page.goto(`${world.url}/docs`)
  await page.getByRole('link', { name: 'The same as a plain page' }).click()
  await page.getByRole('heading', { name: 'Create a connect session' }).waitFor()

  await page.goto(`${world.url}/docs/guides/test-mode`)

  await page.getByRole('heading', { name: 'Choose what happens' }).waitFor()
  expect(await page.getByRole('search').count()).toBe(0)
})
