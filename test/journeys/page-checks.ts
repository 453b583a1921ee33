// Checks for all pages of end users.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const ofColour = ['color-contrast', 'link-in-text-block']
/** Rules that depend on text: names, languages and lengths. */
const ofWords = [
  ...['html-has-lang', 'html-lang-valid', 'valid-lang', 'document-title', 'page-has-heading-one', 'empty-heading'],
  ...['button-name', 'link-name', 'summary-name', 'select-name', 'label', 'label-title-only', 'input-button-name'],
  ...['label-content-name-mismatch', 'aria-command-name', 'aria-input-field-name', 'aria-toggle-field-name'],
  ...['image-alt', 'image-redundant-alt', 'role-img-alt', 'svg-img-alt', 'empty-table-header', 'landmark-unique'],
  ...['target-size', 'scrollable-region-focusable', 'skip-link'],
]

/** The rules of WCAG 2.2, levels A and AA. */
export const barriersOn = (page: Page): Promise<string[]> => runAxe(page, { runOnly: { type: 'tag', values: rules } })

/** Rules that depend on colors, which is all that differs in dark (public/tokens.css). */
const barriersOfColourOn = (page: Page): Promise<string[]> =>
  runAxe(page, { runOnly: { type: 'rule', values: ofColour } })

/** All rules in light, and the color rules in dark. */
export async function barriersInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const light = await barriersOn(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const dark = await barriersOfColourOn(page)
  return [...light.map((each) => `in light: ${each}`), ...dark.map((each) => `in dark: ${each}`)]
}

/** Rules that can fail in another language, with the same elements, attributes and colors. */
export const barriersOfWordsOn = (page: Page): Promise<string[]> =>
  runAxe(page, { runOnly: { type: 'rule', values: ofWords } })

/** Returns only violations, to keep the transfer from the browser small. */
async function runAxe(page: Page, which: RunOptions): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe)
  const options: RunOptions = { ...which, resultTypes: ['violations'], selectors: false }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html.slice(0, 100)) })))`
  const found = await page.evaluate<Array<{ id: string; html: string[] }>>(run)
  return found.map(({ id, html }) => `${id}: ${html.join(', ')}`)
}

/** Overflow of the window or of a box, layout shift, and apps without a picture or a color. */
export async function lookFaultsOn(page: Page): Promise<string[]> {
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const burst = await burstBoxesOn(page)
  const shifted = await page.evaluate<{ sum: number; moved: string[] } | undefined>('globalThis.layoutShift')
  return [
    ...(overhang > 0 ? [`${overhang} px wider than the window`] : []),
    ...burst,
    ...((shifted?.sum ?? 0) >= 0.01 ? [`layout shift of ${shifted?.moved.join(', ')}`] : []),
    ...(await greyTilesOn(page)).map((tile) => `grey tile: ${tile}`),
  ]
}

/** Tiles of apps and tenants that have neither a picture nor a color. Pictures below the fold are not loaded yet. */
export const greyTilesOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('.app-icon')]
      .filter((tile) => {
        const picture = tile.querySelector('img')
        return !picture || (picture.complete && picture.naturalWidth === 0)
      })
      .filter((tile) => {
        const [red, green, blue] = (getComputedStyle(tile.querySelector('rect') ?? tile).fill.match(/\\d+/g) ?? []).map(Number)
        return !tile.querySelector('rect') || Math.max(red, green, blue) - Math.min(red, green, blue) < 40
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 100))`)

/** On a desktop, a box that overflows does not make the page wider. */
const burstBoxesOn = async (page: Page): Promise<string[]> =>
  (await page.evaluate<string[]>(burstBoxes)).map((box) => `wider than its box: ${box}`)

const burstBoxes = `
  [...document.querySelectorAll('.card, .notice, .whose-move, .choice, .badge, .facts dd, .rows > li, button:not(.visually-hidden), .button, label')]
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
    .map(({ outerHTML }) => outerHTML.slice(0, 80))`

/** Measures the bytes of a page with an empty cache, including headers. */
export async function openWeighing(page: Page): Promise<(url: string) => Promise<number>> {
  const client = await page.context().newCDPSession(page)
  let bytes = 0
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  return async (url) => {
    bytes = 0
    await page.goto(url, { waitUntil: 'networkidle' })
    return bytes
  }
}
