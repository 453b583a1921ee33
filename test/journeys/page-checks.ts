// What every page of an end user has to be, whoever's it is and wherever it is shown.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const ofColour = ['color-contrast', 'link-in-text-block']
/** Names and languages that can be missing or wrong, and what depends on how long words are. */
const ofWords = [
  ...['html-has-lang', 'html-lang-valid', 'valid-lang', 'document-title', 'page-has-heading-one', 'empty-heading'],
  ...['button-name', 'link-name', 'summary-name', 'select-name', 'label', 'label-title-only', 'input-button-name'],
  ...['label-content-name-mismatch', 'aria-command-name', 'aria-input-field-name', 'aria-toggle-field-name'],
  ...['image-alt', 'image-redundant-alt', 'role-img-alt', 'svg-img-alt', 'empty-table-header', 'landmark-unique'],
  ...['target-size', 'scrollable-region-focusable', 'skip-link'],
]

/** By the rules for WCAG 2.2, levels A and AA. */
export const barriersOn = (page: Page): Promise<string[]> => runAxe(page, { runOnly: { type: 'tag', values: rules } })

/** What a page that was looked at in light can have in dark: the two differ in colours alone (public/tokens.css). */
const barriersOfColourOn = (page: Page): Promise<string[]> =>
  runAxe(page, { runOnly: { type: 'rule', values: ofColour } })

/** The whole of it in light, and of what differs in dark all. */
export async function barriersInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const light = await barriersOn(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const dark = await barriersOfColourOn(page)
  return [...light.map((each) => `in light: ${each}`), ...dark.map((each) => `in dark: ${each}`)]
}

export async function barriersInDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  return barriersOn(page)
}

/** What a page can have in another language, where the same elements have the same attributes and colours. */
export const barriersOfWordsOn = (page: Page): Promise<string[]> =>
  runAxe(page, { runOnly: { type: 'rule', values: ofWords } })

/** Only what is wrong is described, and brought over from the browser. */
async function runAxe(page: Page, which: RunOptions): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe)
  const options: RunOptions = { ...which, resultTypes: ['violations'], selectors: false }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html.slice(0, 100)) })))`
  const found = await page.evaluate<Array<{ id: string; html: string[] }>>(run)
  return found.map(({ id, html }) => `${id}: ${html.join(', ')}`)
}

/** What sticks out sideways, of the window or of the box it stands in, or moved after it was drawn. */
export async function layoutFaultsOn(page: Page): Promise<string[]> {
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const burst = await burstBoxesOn(page)
  const shifted = await page.evaluate<{ sum: number; moved: string[] } | undefined>('globalThis.layoutShift')
  return [
    ...(overhang > 0 ? [`${overhang} px wider than the window`] : []),
    ...burst,
    ...((shifted?.sum ?? 0) >= 0.01 ? [`layout shift of ${shifted?.moved.join(', ')}`] : []),
  ]
}

/** On a desk there is room beside a card: what sticks out of it does not make the page wider. */
export const burstBoxesOn = async (page: Page): Promise<string[]> =>
  (await page.evaluate<string[]>(burstBoxes)).map((box) => `wider than its box: ${box}`)

const burstBoxes = `
  [...document.querySelectorAll('.card, .notice, .whose-move, .choice, .badge, .facts dd, .rows > li, button, .button, label')]
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
    .map(({ outerHTML }) => outerHTML.slice(0, 80))`

/** Says how much a browser has to fetch for a page, as it comes over the wire, with headers, when it has nothing yet. */
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
