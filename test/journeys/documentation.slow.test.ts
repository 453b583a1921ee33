// The documentation in a browser: accessible in both schemes and sizes, under our content policy, without a third party.
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { expectOneRendering } from './halved-page.ts'
import { desktop, launchBrowser, newVisitor, overhangOf, takePictures, type WatchedPage } from './watched-browser.ts'

let world: OnboardingWorld
let browser: Browser

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startOnboarding(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const phone = { width: 375, height: 740 }
const guide = '/docs/guides/connect-your-users'

async function open(address: string, options = {}): Promise<WatchedPage> {
  const page = await newVisitor(browser, options)
  await page.goto(`${world.url}${address}`)
  return page
}

/** One template renders all calls, and checking each of them takes most of the time. */
const leaveTwoCalls = `document.querySelectorAll('.call ~ .call ~ .call').forEach((each) => each.remove())`

const barriersOn = async (page: WatchedPage): Promise<string[]> => {
  const options = { resultTypes: ['violations'], selectors: false }
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id }) => id))`)
}

test.each(['/docs', guide, '/docs/reference/errors', '/docs/api', '/docs/api/connect-sessions'])(
  '%s is accessible and fits, in light on a desktop and in dark on a phone',
  async (address) => {
    const page = await open(address, { reducedMotion: 'reduce' })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.reload()
    await takePictures(page, `documentation${address.replaceAll('/', '-')}`)
    await page.evaluate(leaveTwoCalls)
    await page.evaluate(axe.source)

    const found: string[] = []
    // Schemes differ only in colors, sizes only in layout.
    for (const [viewport, colorScheme] of [[desktop, 'light'] as const, [phone, 'dark'] as const]) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      if ((await overhangOf(page)) > 0) found.push(`${viewport.width} ${colorScheme}: wider than the window`)
      found.push(...(await barriersOn(page)).map((rule) => `${viewport.width} ${colorScheme}: ${rule}`))
    }

    expect(found).toEqual([])
    expect(asked.filter((url) => !url.startsWith(world.url))).toEqual([])
    expect(page.complaints).toEqual([])
  },
)

test('a page whose table arrives in two parts renders once, when it is complete', () =>
  expectOneRendering(browser, `${world.url}${guide}`))

test('tabs show one language in all examples, the next page remembers it, and Copy copies what is shown', async () => {
  const page = await open(guide)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const example = page.locator('.code-tabs').first()

  await example.getByRole('radio', { name: 'Node.js' }).focus()
  await page.keyboard.press('ArrowRight')
  await example.getByRole('button', { name: 'Copy' }).press('Enter')
  await page.locator('#docs-status', { hasText: 'Copied' }).waitFor({ state: 'attached' })

  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^started = causeway\.connect\.begin\(.*\)$/m)
  expect(await page.locator('.code-panel:visible').evaluateAll(tabs)).toEqual(Array(4).fill('python'))
  await page.goto(`${world.url}/docs/api/connect-sessions`)
  expect(new Set(await page.locator('.code-panel:visible').evaluateAll(tabs))).toEqual(new Set(['python']))
  expect(page.complaints).toEqual([])
})

const tabs = (panels: Array<{ dataset: { tab?: string } }>) => panels.map(({ dataset }) => dataset.tab)

test('On this page marks the visible section, and collapses on a phone', async () => {
  const page = await open(guide)
  const beside = page.getByRole('navigation', { name: 'On this page' })

  await beside.getByRole('link', { name: 'When it takes longer' }).click()

  await beside.locator('[aria-current]', { hasText: 'When it takes longer' }).waitFor()
  expect(await beside.locator('[aria-current]').count()).toBe(1)
  await page.setViewportSize(phone)
  expect(await beside.isVisible()).toBe(false)
  expect(await page.getByText('On this page').first().isVisible()).toBe(true)
})

test('the phone menu links to every page, by keyboard and without JavaScript', async () => {
  const page = await open(guide, { viewport: phone, javaScriptEnabled: false })
  const contents = page.getByRole('navigation', { name: 'Documentation' })
  expect(await contents.isVisible()).toBe(false)

  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  expect(await contents.getByRole('link', { name: 'API reference' }).isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await contents.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await contents.getByRole('link', { name: 'Receive webhooks' }).click()

  await page.getByRole('heading', { name: 'Receive webhooks', level: 1 }).waitFor()
})

test('a keyboard search finds a section despite a typo, and opens it', async () => {
  const page = await open('/docs/api/webhooks')
  await page.getByRole('searchbox').waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('webhok signature')
  const first = page.getByRole('link', { name: /^Receive webhooks › Verify the signature of a message/ })
  await first.waitFor()
  await page.setViewportSize(phone)
  const { x, width } = (await first.boundingBox()) ?? { x: -1, width: 0 }
  expect([x >= 0, x + width <= phone.width]).toEqual([true, true])
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('A')
  await page.keyboard.press('Enter')

  await page.waitForURL(/receive-webhooks#verify-the-signature-of-a-message$/)
  expect(page.complaints).toEqual([])
})

test('without JavaScript all examples can be selected, and search and Copy are hidden', async () => {
  const page = await open('/docs/api/connect-sessions', { javaScriptEnabled: false })

  await page.getByText('curl', { exact: true }).first().click()

  const shown = page.locator('.code-tabs').first().locator('.code-panel:visible')
  expect(await shown.allInnerTexts()).toEqual([expect.stringMatching(/^curl -X POST/)])
  expect(await page.getByRole('search').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
})
