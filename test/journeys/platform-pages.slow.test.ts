// The pages of the platform that people see: sign-in, consent, repair, approval and keys.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { platformPages, startPlatformGallery } from '../support/http/platform-gallery.ts'
import { barriersOn, lookFaultsOn, openWeighing } from './page-checks.ts'
import { launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

let gallery: Awaited<ReturnType<typeof startPlatformGallery>>
let browser: Browser

beforeAll(async () => {
  ;[gallery, browser] = await Promise.all([startPlatformGallery(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await gallery.close()
})

const names = Object.keys(platformPages)

test.each([
  { device: 'a phone', viewport: { width: 375, height: 667 }, colorScheme: 'dark' as const },
  { device: 'a desk', viewport: { width: 1280, height: 720 }, colorScheme: 'light' as const },
])('on $device every page fits, is accessible, and is light', async ({ viewport, colorScheme }) => {
  const page = await newVisitor(browser, { viewport, colorScheme, reducedMotion: 'reduce' })
  const weigh = await openWeighing(page)
  const faults: string[] = []

  for (const name of names) {
    const bytes = await weigh(`${gallery.url}/${name}`)
    const found = [...(await lookFaultsOn(page)), ...(await barriersOn(page))]
    if (bytes >= 90_000) found.push(`${bytes} bytes`)
    faults.push(...found.map((fault) => `${name}: ${fault}`))
  }

  expect(faults).toEqual([])
  expect(page.complaints).toEqual([])
})

test('a person who decides on a call sees all of its values', async () => {
  const page = await newVisitor(browser, { viewport: { width: 375, height: 667 } })
  await page.goto(`${gallery.url}/approval-ask`)
  await takePictures(page, 'platform-approval')

  const cut = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.value')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`,
  )

  expect(cut).toEqual([0, 0])
})

test('each page has at most one button that stands out, which is not the one that allows most', async () => {
  const page = await newVisitor(browser)
  const filled: Record<string, string[]> = {}

  for (const name of names) {
    await page.goto(`${gallery.url}/${name}`)
    filled[name] = await page.evaluate(`(() => {
      const accent = getComputedStyle(document.body.appendChild(document.createElement('button'))).backgroundColor
      document.body.lastChild.remove()
      return [...document.querySelectorAll('main article:first-of-type :is(button, .button, [role=button])')]
        .filter((each) => getComputedStyle(each).backgroundColor === accent).map(({ innerText }) => innerText)
    })()`)
  }

  expect(Object.entries(filled).filter(([, buttons]) => buttons.length > 1)).toEqual([])
  expect(filled['approval-ask']).toEqual(['Allow once'])
  expect(filled['repair-other']).toEqual([])
})

test('no page shows a code, a backtick or a machine-readable time', async () => {
  const page = await newVisitor(browser)
  const faults: string[] = []

  for (const name of names.filter((each) => each !== 'error-of-app')) {
    await page.goto(`${gallery.url}/${name}`)
    const shown = { 'approval-ask': /delete_file/g }[name] ?? /delete_file|cwp_\w+/g
    const words = (await page.locator('main').innerText()).replaceAll(shown, '')
    const [wrong] = /`|\b[a-z]+_[a-z_]+\b|\d{4}-\d\d-\d\dT/.exec(words) ?? []
    if (wrong) faults.push(`${name}: ${wrong}`)
  }

  expect(faults).toEqual([])
})

test.each([
  ['keys', 'Copy key', /^cwp_x{43}$/],
  ['function-ready', 'Copy address', /^https:\S+\/mcp$/],
])('%s: %s copies what the page shows', async (name, label, text) => {
  const page = await newVisitor(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`${gallery.url}/${name}`)

  await page.getByRole('button', { name: label }).click()

  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(text)
})
