// Every kind of page in every combination of what may change its look. It takes a while: LOOKS=de,ar-XB takes only these
// languages. The suite has a part of it (test/journeys/languages.test.ts).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersOn, layoutFaultsOn } from '../journeys/page-checks.ts'
import { launchBrowser, newVisitor } from '../journeys/watched-browser.ts'
import { everyPage, hasTenant, kindsOfPages, startPageGallery } from '../support/http/page-gallery.ts'

const allLocales = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'en-XA', 'ar-XB']
const locales = process.env.LOOKS?.split(',') ?? allLocales
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 860 } }
const combinations = locales.flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['phone', 'desktop'] as const).flatMap((size) =>
      [true, false].map((javaScriptEnabled) => ({ locale, colorScheme, size, javaScriptEnabled })),
    ),
  ),
)
const pictures = fileURLToPath(new URL('../../.data/screenshots/looks/', import.meta.url))

let gallery: Awaited<ReturnType<typeof startPageGallery>>
let browser: Browser

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  ;[gallery, browser] = await Promise.all([startPageGallery(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await gallery.close()
})

/** Each kind with and without branding, and what differs by its words alone without it. */
const pages = Object.keys(everyPage).flatMap((name) => {
  const isKind = name in kindsOfPages
  const one = { name, look: 'plain', path: (locale: string) => `${locale}/${name}`, isKind }
  if (!isKind || !hasTenant(name)) return [one]
  return [one, { ...one, look: 'branded', path: (locale: string) => `branded/${locale}/${name}` }]
})

test.each(combinations)(
  '$locale, $colorScheme, $size, JavaScript: $javaScriptEnabled',
  async ({ locale, colorScheme, size, javaScriptEnabled }) => {
    const options = { viewport: sizes[size], colorScheme, javaScriptEnabled, reducedMotion: 'reduce' as const }
    const page = await newVisitor(browser, options)
    const script = javaScriptEnabled ? 'js' : 'no-js'
    const faults: string[] = []

    for (const { name, look, path, isKind } of pages) {
      await page.goto(`${gallery.url}/${path(locale)}`)
      const found = [...(await layoutFaultsOn(page)), ...(javaScriptEnabled ? await barriersOn(page) : [])]
      faults.push(...found.map((fault) => `${path(locale)}: ${fault}`))
      const picture = join(pictures, `${name}-${look}-${locale}-${colorScheme}-${size}-${script}.png`)
      if (isKind) await page.screenshot({ path: picture, fullPage: true })
    }

    expect(faults).toEqual([])
    expect(page.complaints).toEqual([])
    await page.context().close()
  },
)
