// Every page that an end user can meet, in every language, on a phone and on a desk, in light and in dark.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { everyPage, kindsOfPages, startPageGallery } from '../support/http/page-gallery.ts'
import { desktop, launchBrowser, newVisitor, overhangOf, takePictures, type WatchedPage } from './watched-browser.ts'

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

test.each(locales)('%s: every page fits the narrowest phone', async (locale) => {
  const page = await newVisitor(browser, { viewport: narrowest })
  const wide: string[] = []

  await page.goto(`${gallery.url}/${locale}/error`)
  for (const name of Object.keys(everyPage)) {
    // They share their style sheets: to put what differs in its place is a tenth of the work of opening a page.
    const body = bodyOf(await (await fetch(`${gallery.url}/${locale}/${name}`)).text())
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`)
    const overhang = await overhangOf(page)
    if (overhang > 0) wide.push(`${name}: ${overhang} px`)
  }

  expect(wide).toEqual([])
  await page.context().close()
})

const narrowest = { width: 320, height: 640 }

function bodyOf(html: string): string {
  const [, body] = /<body[^>]*>(.*)<\/body>/s.exec(html) ?? []
  if (!body) throw new Error('a page without a body')
  return body
}

test.each(locales)(
  '%s: each kind of page fits, complains of nothing and can be used by everybody, in light and in dark',
  async (locale) => {
    const page = await newVisitor(browser)
    const barriers: string[] = []

    for (const name of Object.keys(kindsOfPages)) {
      await page.goto(`${gallery.url}/${locale}/${name}`)
      await takePictures(page, `languages-${name}-${locale}`)
      await page.setViewportSize(narrowest)
      expect(await overhangOf(page), `${name} on the narrowest phone`).toBeLessThanOrEqual(0)
      await page.setViewportSize(desktop)
      barriers.push(...(await barriersOn(page)).map((each) => `${name}: ${each}`))
    }

    expect(barriers).toEqual([])
    expect(page.complaints).toEqual([])
    await page.context().close()
  },
)

/** By the rules for WCAG 2.2, levels A and AA. */
const rules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
/** Those of them that look at colors: a scheme changes nothing else. */
const rulesOnColors = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

async function barriersOn(page: WatchedPage): Promise<string[]> {
  await page.evaluate(axe)
  const found: string[] = []
  for (const [colorScheme, runOnly] of [['light', rules] as const, ['dark', rulesOnColors] as const]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify({ runOnly })})`)
    found.push(
      ...violations.map(
        ({ id, nodes }) => `${id} in ${colorScheme}: ${nodes.map(({ html }) => html.slice(0, 100)).join(', ')}`,
      ),
    )
  }
  return found
}
