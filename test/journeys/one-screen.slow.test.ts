// The connect page with branding and four permissions shows its buttons without scrolling.
import { expect, test, vi } from 'vitest'
import { browser, gallery, openGalleryInBrowser } from './gallery-in-browser.ts'
import { newVisitor } from './watched-browser.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

openGalleryInBrowser()

const locales = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR']

test.each([
  { width: 375, height: 667 },
  { width: 520, height: 720 },
  { width: 1280, height: 720 },
])('$width × $height', async (viewport) => {
  const page = await newVisitor(browser, { viewport })
  const ends: Record<string, number[]> = {}

  for (const locale of locales) {
    await page.goto(`${gallery.url}/branded/${locale}/connect`)
    const boxes = await Promise.all((await page.getByRole('button').all()).map((button) => button.boundingBox()))
    ends[locale] = boxes.map((box) => (box ? box.y + box.height : Number.NaN))
  }

  expect(Object.values(ends).map((each) => each.length)).toEqual(locales.map(() => 2))
  expect(Object.entries(ends).filter(([, each]) => each.some((end) => !(end <= viewport.height)))).toEqual([])
})

test('the notice of test mode takes one line of a small phone', async () => {
  const page = await newVisitor(browser, { viewport: { width: 375, height: 667 } })
  const heights: Array<[locale: string, height: number | undefined]> = []

  for (const locale of locales) {
    await page.goto(`${gallery.url}/${locale}/connect-server`)
    heights.push([locale, (await page.locator('.test-mode').boundingBox())?.height])
  }

  expect(heights.filter(([, height = 1_000]) => height > 44)).toEqual([])
})

test('the buttons never cover the field that has the focus', async () => {
  const page = await newVisitor(browser, { viewport: { width: 375, height: 667 } })
  await page.goto(`${gallery.url}/branded/de/connect-inputs`)
  const gap = () =>
    page.evaluate<number>(`document.querySelector('[data-pinned]').getBoundingClientRect().top
      - document.querySelector('input:focus').getBoundingClientRect().bottom`)

  const first = await gap()
  await page.keyboard.press('Tab')
  const second = await gap()

  expect(Math.min(first, second)).toBeGreaterThan(0)
})
