// Every page that an end user can meet, in every language, on a phone and on a desk, in light and in dark.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { everyPage, kindsOfPages, startPageGallery } from '../support/http/page-gallery.ts'
import { launchBrowser, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

// A browser on what may be a small and busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

const locales = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'en-XA', 'ar-XB']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let gallery: Awaited<ReturnType<typeof startPageGallery>>
let browser: Browser

beforeAll(async () => {
  ;[gallery, browser] = await Promise.all([startPageGallery(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await gallery.close()
})

test('no language is left out', () => {
  expect([...locales].sort()).toEqual([...gallery.locales].sort())
})

test.each(locales)('%s: every page fits the narrowest phone, and complains of nothing', async (locale) => {
  const page = await newVisitor(browser, { viewport: { width: 320, height: 640 } })
  const wide: string[] = []

  for (const name of Object.keys(everyPage)) {
    await page.goto(`${gallery.url}/${locale}/${name}`)
    const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (overhang > 0) wide.push(`${name}: ${overhang} px`)
  }

  expect(wide).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test.each(locales)('%s: each kind of page can be used by everybody, in light and in dark', async (locale) => {
  const page = await newVisitor(browser)
  const barriers: string[] = []

  for (const name of Object.keys(kindsOfPages)) {
    await page.goto(`${gallery.url}/${locale}/${name}`)
    await takePictures(page, `languages-${name}-${locale}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      barriers.push(...(await barriersOn(page)).map((each) => `${name} in ${colorScheme}: ${each}`))
    }
  }

  expect(barriers).toEqual([])
  await page.context().close()
})

/** By the rules for WCAG 2.2, levels A and AA. */
async function barriersOn(page: WatchedPage): Promise<string[]> {
  await page.evaluate(axe)
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(', ')}`)
}
