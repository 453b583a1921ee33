// Pages of end users in three languages and all elements in all languages. `npm run test:looks` has every combination.
import { expect, test, vi } from 'vitest'
import { lazy } from '../../src/kit/cache/lazy.ts'
import { everyPage, kindsOfPages, unbrandedPages } from '../support/http/page-gallery.ts'
import { browser, gallery, openGalleryInBrowser } from './gallery-in-browser.ts'
import { barriersInBothSchemes, lookFaultsOn, openWeighing } from './page-checks.ts'
import { openReader, pageText, type Reader, type ShownPage } from './page-reader.ts'
import { desktop, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

// The machine may be slow.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

const locales = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'en-XA', 'ar-XB']

openGalleryInBrowser()

const kinds = Object.keys(kindsOfPages)
const branded = kinds.filter((name) => !unbrandedPages.includes(name))
/** Other texts on the same kinds of pages. */
const wordings = Object.keys(everyPage).filter((name) => !kinds.includes(name))

/** The reference, a language with long words, and one that is written from right to left. */
const checked = ['en', 'de', 'ar-XB'] as const

test('all languages are listed', () => {
  expect([...locales].sort()).toEqual([...gallery.locales].sort())
})

test.each(locales)('%s: pages have only elements of the English page', async (locale) => {
  for (const name of kinds) {
    const [english, elements] = [await englishElementsOf(name), await elementsOf(`${locale}/${name}`)]
    expect(elements.size, name).toBeGreaterThan(10)
    expect(
      [...elements].filter((each) => !english.has(each)),
      name,
    ).toEqual([])
  }
})

const textAt = async (path: string) => (await fetch(`${gallery.url}/${path}`)).text()

const pagesAt = (paths: string[]): Promise<ShownPage[]> =>
  Promise.all(paths.map(async (name) => ({ name, text: await textAt(name) })))

async function elementsOf(path: string) {
  const text = await textAt(path)
  return new Set(
    [...text.matchAll(/<([a-z][\w-]*)([^>]*)>/g)].map(([, name, rest]) => `${name} ${shapeOf(rest ?? '')}`),
  )
}

/** The attributes without their texts. */
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

test.each(checked)(
  '%s: pages fit the narrowest phone, and log no errors. Those in English are accessible',
  async (locale) => {
    const page = await narrowVisitor()
    const narrow = await readerOf(`${locale}/connect`, narrowest)
    const wide = await readerOf(`${locale}/connect`, desktop)
    const brandedReader = await readerOf(`branded/${locale}/connect`, narrowest)
    const faults: string[] = []
    const shown: ShownPage[] = []

    for (const name of kinds) {
      await page.goto(`${gallery.url}/${locale}/${name}`)
      const text = await pageText(page)
      shown.push({ name: `${name} on a desktop`, text })
      faults.push(...(await narrow.faultsOf([{ name, text }])))
      // Other languages have the elements, attributes and colors of English.
      const barriers = locale === 'en' ? await barriersInBothSchemes(narrow.page) : []
      const found = [...(await lookFaultsOn(page)), ...barriers]
      faults.push(...found.map((fault) => `${name}: ${fault}`))
      await takePictures(page, `languages-${name}-${locale}`)
      await page.setViewportSize(narrowest)
    }
    faults.push(...(await wide.faultsOf(shown)))
    faults.push(...(await narrow.faultsOf(await pagesAt(wordings.map((name) => `${locale}/${name}`)))))
    faults.push(...(await brandedReader.faultsOf(await pagesAt(branded.map((name) => `branded/${locale}/${name}`)))))

    expect(faults).toEqual([])
    expect(page.complaints.splice(0)).toEqual([])
  },
)

/** One for all languages, because the browser starts a process per visitor. */
const narrowVisitor = lazy(() => newVisitor(browser, { viewport: narrowest }))

const narrowest = { width: 320, height: 640 }

const readers = new Map<string, Promise<Reader>>()

/** One per set of styles and size, kept until the end of the file. */
function readerOf(path: string, viewport: typeof narrowest): Promise<Reader> {
  const key = `${path.startsWith('branded/')} ${viewport.width}`
  const reader = readers.get(key) ?? newVisitor(browser, { viewport }).then(openReader(`${gallery.url}/${path}`))
  readers.set(key, reader)
  return reader
}

test('branded pages are accessible on a desktop', async () => {
  const page = await newVisitor(browser)
  const reader = await readerOf('branded/en/connect', desktop)
  const barriers: string[] = []

  for (const name of branded) {
    await page.goto(`${gallery.url}/branded/en/${name}`)
    await takePictures(page, `branded-${name}`)
    await reader.show(await pageText(page))
    barriers.push(...(await barriersInBothSchemes(reader.page)).map((each) => `${name} ${each}`))
  }

  expect(barriers).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test('pages have the same text without JavaScript', async () => {
  const plain = await newVisitor(browser, { javaScriptEnabled: false })

  for (const { path, says } of await visits()) {
    await plain.goto(`${gallery.url}/${path}`)
    expect(await wordsOn(plain), path).toBe(says)
  }

  expect(plain.complaints).toEqual([])
  await plain.context().close()
})

/** Times differ between visits. */
const wordsOn = async (page: WatchedPage) =>
  (await page.locator('main').innerText()).trim().replace(/\d+ ?(秒|分|時間)/g, 'some $1')

test('a page with its assets weighs less than 90 kB', async () => {
  const weights = Object.fromEntries((await visits()).map(({ path, bytes }) => [path, bytes]))

  const heavy = Object.entries(weights).filter(([, bytes]) => bytes >= 90_000)
  expect(heavy).toEqual([])
  expect(Math.min(...Object.values(weights))).toBeGreaterThan(5_000) // else nothing was measured
})

test('only style sheets that the page links block the first paint', async () => {
  for (const { path, blocking, named } of await visits()) {
    // Linked sheets load in parallel; an imported one would load a round trip later.
    expect(blocking.length, path).toBeGreaterThan(0)
    expect(
      blocking.filter((address) => !named.includes(address)),
      path,
    ).toEqual([])
  }
})

/** Each page with an empty cache. */
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
