// What every page of an end user has to be, whoever's it is and wherever it is shown.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** By the rules for WCAG 2.2, levels A and AA. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(', ')}`)
}

/** What sticks out sideways, or moved after it was drawn. */
export async function layoutFaultsOn(page: Page): Promise<string[]> {
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const shifted = await page.evaluate<{ sum: number; moved: string[] } | undefined>('globalThis.layoutShift')
  return [
    ...(overhang > 0 ? [`${overhang} px wider than the window`] : []),
    ...((shifted?.sum ?? 0) >= 0.01 ? [`layout shift of ${shifted?.moved.join(', ')}`] : []),
  ]
}

/** Everything that a browser has to fetch for a page, as it comes over the wire, with headers. */
export async function weightOf(page: Page, url: string): Promise<number> {
  const client = await page.context().newCDPSession(page)
  let bytes = 0
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(url, { waitUntil: 'networkidle' })
  await client.detach()
  return bytes
}
