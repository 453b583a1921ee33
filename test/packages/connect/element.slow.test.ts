// The button in a browser, on a page with a strict CSP, against the real program.
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

/** Presses the button and consents in the popup. */
async function connectIn(page: WatchedPage) {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening
  await popup
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
}

test('navigates the whole page by default and submits the fields', async () => {
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

test('dispatches linked after the popup', async () => {
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'linked', status: 'linked' })
  expect(page.url()).toBe(`${portal.at}/?mode=popup`)
  expect(page.complaints).toEqual([])
})

test('dispatches failed with the cause after the popup', async () => {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'failed', status: 'denied', causeCode: 'consent_denied' })
})

test('says that the popup is open until this page has the focus again', async () => {
  const page = await openPage('mode=popup')
  const hint = page.getByText('Continue in the other window.')
  const before = await hint.isVisible()
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening

  await hint.waitFor()

  await popup.close()
  await page.evaluate(`dispatchEvent(new Event('focus'))`) // which a browser without windows does not send
  await expect.poll(() => told(page)).toEqual([{ name: 'closed' }])
  expect([before, await hint.isVisible()]).toEqual([false, false])
})

test.each(['pending', 'needs_attention'])('dispatches pending for a link that is %s', async (status) => {
  const page = await openPage('mode=popup')
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening
  await popup.waitForURL(`${world.url}/connect/**`)

  // Not awaited, because the page closes its window.
  await popup.evaluate(`location.assign('${portal.at}/came-so-far?status=${status}')`)

  await expect.poll(() => told(page)).toContainEqual({ name: 'pending', status })
})

test('throws if an attribute contains a secret', async () => {
  const page = await openPage('key=cwk_123')

  expect(page.complaints.join()).toContain('a secret in a page is public')
})

test('does nothing if disabled', async () => {
  const page = await openPage('disabled')

  expect(await page.getByRole('button', { name: 'Connect Files' }).isDisabled()).toBe(true)
})

test('is accessible: name, role, keyboard and axe', async () => {
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
