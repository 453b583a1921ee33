// Every kind of page in every combination of what may change its look. It takes a while, so it can be taken in parts: of
// languages, pages, schemes, sizes and scripts. The suite has some of it (test/journeys/languages.slow.test.ts).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersOfWordsOn, barriersOn, lookFaultsOn } from '../journeys/page-checks.ts'
import { openReader } from '../journeys/page-reader.ts'
import { launchBrowser, newVisitor } from '../journeys/watched-browser.ts'
import { everyPage, kindsOfPages, startPageGallery, unbrandedPages } from '../support/http/page-gallery.ts'

/** Those of the list that were asked for, or all of it. The script sets the variables from its arguments. */
function wanted<Name extends string>(variable: string, all: readonly Name[]): Name[] {
  const asked = process.env[variable]?.split(',')
  const unknown = asked?.filter((name) => !(all as readonly string[]).includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`${variable} has no ${unknown.join(', ')}: it is one of ${all.join(', ')}`)
  return all.filter((name) => asked?.includes(name) ?? true)
}

const locales = wanted('LOOKS_LANGUAGES', ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'en-XA', 'ar-XB'])
const names = wanted('LOOKS_PAGES', Object.keys(everyPage))
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 860 } }
const combinations = locales.flatMap((locale) =>
  wanted('LOOKS_SCHEMES', ['light', 'dark']).flatMap((colorScheme) =>
    wanted('LOOKS_SIZES', ['phone', 'desktop']).flatMap((size) =>
      wanted('LOOKS_SCRIPTS', ['js', 'no-js']).map((script) => ({ locale, colorScheme, size, script })),
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

/** Each kind, with and without branding. */
const kinds = names
  .filter((name) => name in kindsOfPages)
  .flatMap((name) => {
    const plain = { name, look: 'plain', path: (locale: string) => `${locale}/${name}` }
    const branded = { name, look: 'branded', path: (locale: string) => `branded/${locale}/${name}` }
    return unbrandedPages.includes(name) ? [plain] : [plain, branded]
  })

/** Pages that differ from another page only in their text, and so have the same colors. */
const wordings = names.filter((name) => !(name in kindsOfPages))

test.each(combinations)('$locale, $colorScheme, $size, $script', async ({ locale, colorScheme, size, script }) => {
  const javaScriptEnabled = script === 'js'
  const options = { viewport: sizes[size], colorScheme, javaScriptEnabled, reducedMotion: 'reduce' as const }
  const page = await newVisitor(browser, options)
  const faults: string[] = []

  for (const { name, look, path } of kinds) {
    await page.goto(`${gallery.url}/${path(locale)}`)
    const found = [...(await lookFaultsOn(page)), ...(javaScriptEnabled ? await barriersOn(page) : [])]
    faults.push(...found.map((fault) => `${path(locale)}: ${fault}`))
    const picture = join(pictures, `${name}-${look}-${locale}-${colorScheme}-${size}-${script}.png`)
    await page.screenshot({ path: picture, fullPage: true })
  }
  const reader = await openReader(`${gallery.url}/${locale}/connect`)(page)
  for (const name of wordings) {
    await reader.show(await (await fetch(`${gallery.url}/${locale}/${name}`)).text())
    const found = [...(await lookFaultsOn(page)), ...(javaScriptEnabled ? await barriersOfWordsOn(page) : [])]
    faults.push(...found.map((fault) => `${locale}/${name}: ${fault}`))
  }

  expect(faults).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})
