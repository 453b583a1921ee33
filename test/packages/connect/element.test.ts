// The button on a tenant's page with a strict policy, in a real browser, against the running program.
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser, newVisitor, type WatchedPage } from '../../journeys/watched-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { elementPages, type Portal, startPortal } from './portal.ts'

let world: OnboardingWorld
let portal: Portal
let browser: Browser

beforeAll(async () => {
  world = await startOnboarding()
  ;[portal, browser] = await Promise.all([startPortal(world, await elementPages()), launchBrowser()])
})
afterEach(() => world.provider.calm())
afterAll(async () => {
  await browser?.close()
  portal?.close()
  await world?.close()
})

async function openPage(attributes = ''): Promise<WatchedPage> {
  const visitor = await newVisitor(browser)
  await visitor.goto(`${portal.at}/?${attributes}`)
  await visitor.evaluate(`
    globalThis.told = []
    for (const name of ['linked', 'pending', 'failed', 'closed'])
      document.addEventListener(name, ({ detail }) => told.push({ name, ...detail }))`)
  return visitor
}

const told = (page: WatchedPage) => page.evaluate<unknown[]>('told')

/** Presses the button, and agrees in the window that opens. */
async function connectIn(page: WatchedPage) {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening
  await popup
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
}

test('the whole page goes by default, with the fields of the element', async () => {
  const page = await openPage()

  await page.getByRole('button', { name: 'Connect Files' }).press('Enter')
  await page.waitForURL(`${world.url}/connect/**`)
  await page
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
  await page.waitForURL(`${portal.at}/connected**`)

  const [connection] = await portal.causeway.connections.list({ endUserId: 'user of csrf=token-1' }).toArray()
  expect(connection?.status).toBe('active')
  expect(page.complaints).toEqual([])
})

test('a popup tells the page that the account was linked', async () => {
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'linked', status: 'linked' })
  expect(page.url()).toBe(`${portal.at}/?mode=popup`)
  expect(page.complaints).toEqual([])
})

test('a popup tells the page why it was not', async () => {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'failed', status: 'denied', causeCode: 'consent_denied' })
})

test.each(['pending', 'needs_attention'])('a link that is %s is not called failed', async (status) => {
  const page = await openPage('mode=popup')
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening
  await popup.waitForURL(`${world.url}/connect/**`)

  // Not waited for: the page closes its window.
  await popup.evaluate(`location.assign('${portal.at}/came-so-far?status=${status}')`)

  await expect.poll(() => told(page)).toContainEqual({ name: 'pending', status })
})

test('a secret that is handed to it is refused aloud', async () => {
  const page = await openPage('key=cwk_123')

  expect(page.complaints.join()).toContain('a secret in a page is public')
})

test('a disabled button goes nowhere', async () => {
  const page = await openPage('disabled')

  expect(await page.getByRole('button', { name: 'Connect Files' }).isDisabled()).toBe(true)
})

test('the button has its name and role, is reached by keyboard, and nothing about it is wrong for screen readers', async () => {
  const page = await openPage('mode=popup')

  await page.keyboard.press('Tab')
  const focused = await page.evaluate<string>('document.activeElement.shadowRoot.activeElement.tagName')
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: unknown[] }>('axe.run()')

  expect(focused).toBe('BUTTON')
  expect(await page.getByRole('button', { name: 'Connect Files', exact: true }).count()).toBe(1)
  expect(violations).toEqual([])
  expect(portal.reports).toEqual([])
})
