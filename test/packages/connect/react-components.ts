// The React components in a browser, with a given release of React.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser, newVisitor, type WatchedPage } from '../../journeys/watched-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { bundle, type Portal, startPortal } from './portal.ts'
import { reactPage } from './react-page.ts'

/** `installed` is the folder of `react` and `react-dom`. Default: those of this repository. */
export const describeComponents = (release: string, installed: () => Promise<Record<string, string>>) =>
  describe(`the components in ${release}`, () => {
    let world: OnboardingWorld
    let portal: Portal
    let browser: Browser

    beforeAll(async () => {
      world = await startOnboarding()
      const pages = {
        script: await bundle({ text: reactPage }, await installed()),
        button: () => '<div id="root"></div>',
      }
      ;[portal, browser] = await Promise.all([startPortal(world, pages), launchBrowser()])
    })
    afterEach(() => world.provider.calm())
    afterAll(async () => {
      await browser?.close()
      portal?.close()
      await world?.close()
    })

    async function openPage(): Promise<WatchedPage> {
      const page = await newVisitor(browser)
      await page.goto(portal.at)
      return page
    }

    async function connectIn(page: WatchedPage) {
      const opening = page.waitForEvent('popup')
      await page.getByRole('button', { name: /^Connect Files/ }).click()
      const popup = await opening
      await popup
        .getByRole('button', { name: /continue|connect/i })
        .first()
        .click()
    }

    test('calls onLinked of the latest render and submits the fields', async () => {
      const page = await openPage()

      await page.getByRole('button', { name: 'Render again' }).click()
      await connectIn(page)

      await expect.poll(() => page.getByRole('status').textContent()).toBe('linked: linked in rendering 2')
      const [connection] = await portal.causeway.connections.list({ endUserId: 'user of csrf=token-2' }).toArray()
      expect(connection?.status).toBe('active')
      expect(page.complaints).toEqual([])
      expect(portal.reports).toEqual([])
    })

    test('calls onFailed with the cause', async () => {
      world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
      const page = await openPage()

      await connectIn(page)

      await expect.poll(() => page.getByRole('status').textContent()).toBe('failed: consent_denied')
    })

    test('passes disabled, class and ref to the element, and removes disabled', async () => {
      const page = await openPage()
      const button = page.getByRole('button', { name: /^Connect Files/ })

      await page.getByRole('button', { name: 'Disable' }).click()
      expect(await button.isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Disable' }).click()

      expect(await button.isDisabled()).toBe(false)
      expect(await page.evaluate('refIsElement()')).toBe(true)
      expect(await page.locator('causeway-connect.big').count()).toBe(1)
    })
  })
