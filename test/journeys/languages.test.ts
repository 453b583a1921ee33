// Every page that an end user can meet, in every language, on a phone and on a desk, in light and in dark, with and without
// branding and JavaScript. Not each of all these in every combination: that is `npm run test:looks`.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { everyPage, hasTenant, kindsOfPages, startPageGallery } from '../support/http/page-gallery.ts'
import { barriersOn, layoutFaultsOn, weightOf } from './page-checks.ts'
import { launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

// A browser on what may be a small and busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

const locales = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'en-XA', 'ar-XB']

let gallery: Awaited<ReturnType<typeof startPageGallery>>
let browser: Browser

beforeAll(async () => {
  ;[gallery, browser] = await Promise.all([startPageGallery(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await gallery.close()
})

const branded = Object.keys(kindsOfPages).filter(hasTenant)

test('no language is left out', () => {
  expect([...locales].sort()).toEqual([...gallery.locales].sort())
})

test.each(locales)('%s: every page fits the narrowest phone, and complains of nothing', async (locale) => {
  const page = await newVisitor(browser, { viewport: { width: 320, height: 640 } })
  const paths = [
    ...Object.keys(everyPage).map((name) => `${locale}/${name}`),
    ...branded.map((name) => `branded/${locale}/${name}`),
  ]
  const faults: string[] = []

  for (const path of paths) {
    await page.goto(`${gallery.url}/${path}`)
    faults.push(...(await layoutFaultsOn(page)).map((fault) => `${path}: ${fault}`))
  }

  expect(faults).toEqual([])
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

test.each(['en', 'ar-XB'])('%s: so can each with everything a tenant can give it', async (locale) => {
  const page = await newVisitor(browser)
  const barriers: string[] = []

  for (const name of branded) {
    await page.goto(`${gallery.url}/branded/${locale}/${name}`)
    await takePictures(page, `branded-${name}-${locale}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      barriers.push(...(await barriersOn(page)).map((each) => `${name} in ${colorScheme}: ${each}`))
    }
  }

  expect(barriers).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test('without JavaScript every page says the same', async () => {
  const [scripted, plain] = [await newVisitor(browser), await newVisitor(browser, { javaScriptEnabled: false })]
  const read = async (page: typeof plain, path: string) => {
    await page.goto(`${gallery.url}/${path}`)
    return (await page.locator('main').innerText()).trim()
  }

  for (const name of branded) {
    const path = `branded/en/${name}`
    expect(await read(plain, path), path).toBe(await read(scripted, path))
  }

  expect([...plain.complaints, ...scripted.complaints]).toEqual([])
  await Promise.all([scripted.context().close(), plain.context().close()])
})

test('the heaviest page weighs less than 60 kB with everything it needs', async () => {
  const weights: Record<string, number> = {}

  for (const path of branded.map((name) => `branded/ja/${name}`)) {
    const page = await newVisitor(browser)
    weights[path] = await weightOf(page, `${gallery.url}/${path}`)
    await page.context().close()
  }

  const heavy = Object.entries(weights).filter(([, bytes]) => bytes >= 60_000)
  expect(heavy).toEqual([])
  expect(Math.min(...Object.values(weights))).toBeGreaterThan(5_000) // or nothing was measured
})
