// The button and its popup in Firefox, by keyboard, on a page with a strict policy, against the running program.
import axe from 'axe-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { elementPages, type Portal, startPortal } from '../packages/connect/portal.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { type FirefoxBrowser, type FirefoxPage, keys, launchFirefox } from './bidi-browser.ts'

let world: OnboardingWorld
let portal: Portal
let browser: FirefoxBrowser

beforeAll(async () => {
  world = await startOnboarding()
  portal = await startPortal(world, await elementPages())
  browser = await launchFirefox()
})
afterEach(() => world.provider.calm())
afterAll(async () => {
  await browser?.close()
  portal?.close()
  await world?.close()
})

async function openPage(attributes = ''): Promise<FirefoxPage> {
  const page = await browser.open(`${portal.at}/?${attributes}`)
  await page.evaluate(`(globalThis.told = [], ['linked', 'failed', 'closed'].forEach((name) =>
    document.addEventListener(name, ({ detail }) => told.push({ name, ...detail }))))`)
  return page
}

const told = (page: FirefoxPage) => page.evaluate<unknown[]>('told')

/** Focuses the button of Causeway's own page, and presses it. */
async function agreeOn(page: FirefoxPage) {
  await waitFor('the connect page is there', () =>
    page.evaluate<boolean>(`location.href.startsWith('${world.url}/connect/') && document.readyState === 'complete'`),
  )
  await page.evaluate(`document.querySelector('main button, form button').focus()`)
  await page.press(keys.enter)
}

async function connectIn(page: FirefoxPage) {
  const before = await browser.contexts()
  await page.press(keys.tab, keys.enter)
  const popup = await waitFor('a popup opens', async () =>
    (await browser.contexts()).find((context) => !before.includes(context)),
  )
  await agreeOn(browser.page(popup))
  return popup
}

test('by default the element navigates the whole page, by keyboard, with its fields', async () => {
  const page = await openPage()

  await page.press(keys.tab, keys.enter)
  await agreeOn(page)
  await waitFor('the browser is back', async () => (await page.url()).startsWith(`${portal.at}/connected`))

  const [connection] = await portal.causeway.connections.list({ endUserId: 'user of csrf=token-1' }).toArray()
  expect(connection?.status).toBe('active')
})

test('a popup reports the linked account to the page, and closes', async () => {
  const page = await openPage('mode=popup')

  const popup = await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'linked', status: 'linked' })
  await expect.poll(() => browser.contexts()).not.toContain(popup)
  expect(await page.url()).toBe(`${portal.at}/?mode=popup`)
})

test('a popup reports to the page why the link failed', async () => {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'failed', status: 'denied', causeCode: 'consent_denied' })
})

test('the button has its name and role, and passes axe', async () => {
  const page = await openPage('mode=popup')

  await page.load(axe.source)
  const violations = await page.evaluate<unknown[]>('axe.run().then(({ violations }) => violations)')

  const shadow = `document.querySelector('causeway-connect').shadowRoot`
  expect(await page.countNamed('button', 'Connect Files', shadow)).toBe(1)
  expect(violations).toEqual([])
})

test('a disabled button cannot be focused', async () => {
  const page = await openPage('disabled')

  await page.press(keys.tab)

  expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('CAUSEWAY-CONNECT')
})

test('a secret attribute causes an error', async () => {
  await openPage('key=cwk_123')

  await expect.poll(() => browser.errors.join()).toContain('a secret in a page is public')
})

test('no content policy violation was reported', () => {
  expect(portal.reports).toEqual([])
})
