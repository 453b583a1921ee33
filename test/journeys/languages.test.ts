// Every page that an end user can meet, in every language, on a phone and on a desk, in light and in dark, with and without
// branding and JavaScript. Not each of all these in every combination: that is `npm run test:looks`.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lazy } from '../../src/kit/cache/lazy.ts'
import { everyPage, kindsOfPages, startPageGallery, unbrandedPages } from '../support/http/page-gallery.ts'
import {
  barriersInBothSchemes,
  barriersInDark,
  barriersOfWordsOn,
  burstBoxesOn,
  layoutFaultsOn,
  openWeighing,
} from './page-checks.ts'
import { openReader, pageText, type Reader, type ShownPage } from './page-reader.ts'
import { desktop, launchBrowser, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

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

const kinds = Object.keys(kindsOfPages)
const branded = kinds.filter((name) => !unbrandedPages.includes(name))
/** Pages of a kind that is above, with other words on them. */
const wordings = Object.keys(everyPage).filter((name) => !kinds.includes(name))

/**
 * One for each direction in which people write. Which colours meet on a page is the same in every other language, and
 * a page without a script is in the browser what it was when it was sent.
 */
const lookedAt = ['en', 'ar-XB']

/** What a language can break: by its words everywhere, by its direction in one that is written the other way round. */
const barriersIn = (locale: string) => {
  if (locale === 'en') return barriersInBothSchemes
  return lookedAt.includes(locale) ? barriersInDark : barriersOfWordsOn
}

test('no language is left out', () => {
  expect([...locales].sort()).toEqual([...gallery.locales].sort())
})

test.each(locales)(
  '%s: no kind of page has an element that the English one lacks, whose colours are looked at',
  async (locale) => {
    for (const name of kinds) {
      const [english, elements] = [await englishElementsOf(name), await elementsOf(`${locale}/${name}`)]
      expect(elements.size, name).toBeGreaterThan(10)
      expect(
        [...elements].filter((each) => !english.has(each)),
        name,
      ).toEqual([])
    }
  },
)

const textAt = async (path: string) => (await fetch(`${gallery.url}/${path}`)).text()

const pagesAt = (paths: string[]): Promise<ShownPage[]> =>
  Promise.all(paths.map(async (name) => ({ name, text: await textAt(name) })))

async function elementsOf(path: string) {
  const text = await textAt(path)
  return new Set(
    [...text.matchAll(/<([a-z][\w-]*)([^>]*)>/g)].map(([, name, rest]) => `${name} ${shapeOf(rest ?? '')}`),
  )
}

/** What a rule about structure looks at: all of its attributes, without their words. */
function shapeOf(attributes: string): string {
  const found = [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value]) =>
    /^(class|role|type)$/.test(name) ? `${name}=${value}` : name,
  )
  return found.sort().join(' ')
}

const inEnglish = new Map<string, ReturnType<typeof elementsOf>>()

function englishElementsOf(name: string) {
  const elements = inEnglish.get(name) ?? elementsOf(`en/${name}`)
  inEnglish.set(name, elements)
  return elements
}

test.each(locales)(
  '%s: every page fits the narrowest phone, can be used by everybody, and complains of nothing',
  async (locale) => {
    const page = await narrowVisitor()
    const [narrow, wide] = [
      await readerOf(`${locale}/connect`, narrowest),
      await readerOf(`${locale}/connect`, desktop),
    ]
    const brandedReader = await readerOf(`branded/${locale}/connect`, narrowest)
    const faults: string[] = []
    const shown: ShownPage[] = []

    for (const name of kinds) {
      const path = `${locale}/${name}`
      const served = await textAt(path)
      const isVisited = lookedAt.includes(locale) || served.includes('<script')
      if (isVisited) await page.goto(`${gallery.url}/${path}`)
      const text = isVisited ? await pageText(page) : served
      shown.push({ name: `${name} on a desktop`, text })
      faults.push(...(await narrow.faultsOf([{ name, text }])))
      const found = [
        ...(isVisited ? await layoutFaultsOn(page) : await burstBoxesOn(narrow.page)),
        ...(await barriersIn(locale)(narrow.page)),
      ]
      faults.push(...found.map((fault) => `${name}: ${fault}`))
      if (lookedAt.includes(locale)) {
        await takePictures(page, `languages-${name}-${locale}`)
        await page.setViewportSize(narrowest)
      }
    }
    faults.push(...(await wide.faultsOf(shown)))
    faults.push(...(await narrow.faultsOf(await pagesAt(wordings.map((name) => `${locale}/${name}`)))))
    faults.push(...(await brandedReader.faultsOf(await pagesAt(branded.map((name) => `branded/${locale}/${name}`)))))

    expect(faults).toEqual([])
    expect(page.complaints.splice(0)).toEqual([])
  },
)

/** One for all languages: for each further visitor the browser starts another process. */
const narrowVisitor = lazy(() => newVisitor(browser, { viewport: narrowest }))

const narrowest = { width: 320, height: 640 }

const readers = new Map<string, Promise<Reader>>()

/** One for each set of styles and size: it lives as long as the file. */
function readerOf(path: string, viewport: typeof narrowest): Promise<Reader> {
  const key = `${path.startsWith('branded/')} ${viewport.width}`
  const reader = readers.get(key) ?? newVisitor(browser, { viewport }).then(openReader(`${gallery.url}/${path}`))
  readers.set(key, reader)
  return reader
}

test.each(lookedAt)('%s: so can each kind on a desk, with everything a tenant can give it', async (locale) => {
  const page = await newVisitor(browser)
  const reader = await readerOf(`branded/${locale}/connect`, desktop)
  const barriers: string[] = []

  for (const name of branded) {
    await page.goto(`${gallery.url}/branded/${locale}/${name}`)
    await takePictures(page, `branded-${name}-${locale}`)
    await reader.show(await pageText(page))
    barriers.push(...(await barriersIn(locale)(reader.page)).map((each) => `${name} ${each}`))
  }

  expect(barriers).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test('without JavaScript every page says the same', async () => {
  const plain = await newVisitor(browser, { javaScriptEnabled: false })

  for (const { path, says } of await visits()) {
    await plain.goto(`${gallery.url}/${path}`)
    expect(await wordsOn(plain), path).toBe(says)
  }

  expect(plain.complaints).toEqual([])
  await plain.context().close()
})

/** A minute may pass between one visit and the next. */
const wordsOn = async (page: WatchedPage) =>
  (await page.locator('main').innerText()).trim().replace(/\d+ ?(秒|分|時間)/g, 'some $1')

test('the heaviest page weighs less than 60 kB with everything it needs', async () => {
  const weights = Object.fromEntries((await visits()).map(({ path, bytes }) => [path, bytes]))

  const heavy = Object.entries(weights).filter(([, bytes]) => bytes >= 60_000)
  expect(heavy).toEqual([])
  expect(Math.min(...Object.values(weights))).toBeGreaterThan(5_000) // or nothing was measured
})

test('nothing holds up the first paint but style sheets that the page itself names', async () => {
  for (const { path, blocking, named } of await visits()) {
    // All of them are asked for at once, when the page has come: one that another one names would come a trip later.
    expect(blocking.length, path).toBeGreaterThan(0)
    expect(
      blocking.filter((address) => !named.includes(address)),
      path,
    ).toEqual([])
  }
})

/** What came for each page, to a visitor who has nothing of it yet. */
const visits = lazy(async () => {
  const page = await newVisitor(browser)
  const weigh = await openWeighing(page)
  const seen: Array<{ path: string; bytes: number; says: string; blocking: string[]; named: string[] }> = []
  for (const path of branded.map((name) => `branded/ja/${name}`)) {
    const bytes = await weigh(`${gallery.url}/${path}`)
    const sheets = await page.evaluate<{ blocking: string[]; named: string[] }>(`({
      blocking: performance.getEntriesByType('resource')
        .filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking')
        .map(({ name }) => name),
      named: [...document.querySelectorAll('head link[rel=stylesheet]')].map(({ href }) => href),
    })`)
    seen.push({ path, bytes, says: await wordsOn(page), ...sheets })
  }
  expect(page.complaints).toEqual([])
  await page.context().close()
  return seen
})
