// The connect page with branding and four permissions shows its buttons without scrolling.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startPageGallery } from '../support/http/page-gallery.ts'
import { launchBrowser, newVisitor } from './watched-browser.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let gallery: Awaited<ReturnType<typeof startPageGallery>>
let browser: Browser

beforeAll(async () => {
  ;[gallery, browser] = await Promise.all([startPageGallery(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await gallery.close()
})

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
