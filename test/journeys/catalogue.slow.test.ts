// The catalogue page: accessible in both schemes and sizes.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { barriersOn, lookFaultsOn } from './page-checks.ts'
import { desktop, launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

// The machine may be slow.
let world: OnboardingWorld
let browser: Browser
beforeAll(async () => {
  ;[world, browser] = await Promise.all([startOnboarding(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const phone = { width: 390, height: 844 }
/** Schemes differ only in colors, sizes only in layout. */
const sizes = [
  ['desktop', desktop, 'light'],
  ['phone', phone, 'dark'],
] as const

const pages = [
  '/catalogue',
  '/catalogue?q=google',
  '/catalogue?q=nothing-is-called-that',
  '/catalogue/gmail',
  '/catalogue/act-on',
  '/catalogue/trakt',
  '/catalogue/airtable-mcp',
]

test.each(sizes)('on a %s: accessible, no overflow, no layout shift', async (_, viewport, colorScheme) => {
  const page = await newVisitor(browser, { viewport, colorScheme, reducedMotion: 'reduce' })
  const faults: string[] = []
  for (const path of pages) {
    await page.goto(`${world.url}${path}`)
    const found = [...(await lookFaultsOn(page)), ...(await barriersOn(page))]
    faults.push(...found.map((fault) => `${path}: ${fault}`))
  }

  expect(faults).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test('an app is found and opened using only the keyboard, with visible focus', async () => {
  const page = await newVisitor(browser)
  await page.goto(`${world.url}/catalogue`)
  await takePictures(page, 'catalogue')
  const focused = () => page.evaluate<string>('document.activeElement?.getAttribute("name") ?? ""')
  const isMarked = () =>
    page.evaluate<boolean>(`(() => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement)
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    })()`)
  for (let presses = 0; presses < 20 && (await focused()) !== 'q'; presses++) await page.keyboard.press('Tab')

  expect([await focused(), await isMarked()]).toEqual(['q', true])
  await page.keyboard.type('pipedrive')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=pipedrive/)
  const href = () => page.evaluate<string>('document.activeElement?.getAttribute("href") ?? ""')
  for (let presses = 0; presses < 40 && (await href()) !== '/catalogue/pipedrive'; presses++) {
    await page.keyboard.press('Tab')
  }
  expect([await href(), await isMarked()]).toEqual(['/catalogue/pipedrive', true])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Pipedrive' }).waitFor()
  await takePictures(page, 'catalogue-app')
})
