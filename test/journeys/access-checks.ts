// What a page is to somebody who uses it by keyboard or by ear.
import type { Page } from 'playwright-core'

export type FocusStop = { what: string; href: string | null; outline: number }

/** What Tab comes by, with how thick its outline is, beside what it should come by. */
export async function focusStopsOf(page: Page): Promise<{ expected: string[]; reached: FocusStop[] }> {
  const expected = await page.evaluate<string[]>(`
    globalThis.describe = (element) => element.tagName + ' ' + (element.textContent.trim() || element.name).slice(0, 80)
    ;[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
      .filter((element) => !element.disabled)
      .map(describe)`)
  // A page that was sent back has the focus where something has to be corrected; others begin at the beginning.
  await page.evaluate(`document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')`)
  const reached: FocusStop[] = []
  for (const _ of expected) {
    await page.keyboard.press('Tab')
    reached.push(
      await page.evaluate<FocusStop>(`(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
        const outline = outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)
        return { what: describe(document.activeElement), href: document.activeElement.getAttribute('href'), outline }
      })()`),
    )
  }
  return { expected, reached }
}

export type AccessibleNode = { role: string; name: string; level: number | undefined }

type AxNode = {
  ignored: boolean
  role?: { value?: string }
  name?: { value?: string }
  properties?: Array<{ name: string; value: { value?: unknown } }>
}

/** The tree that the browser hands to screen readers. */
export async function accessibleNodesOf(page: Page): Promise<AccessibleNode[]> {
  const client = await page.context().newCDPSession(page)
  const { nodes } = (await client.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] }
  await client.detach()
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => {
      const level = properties.find((each) => each.name === 'level')?.value.value
      return { role: role?.value ?? '', name: name?.value ?? '', level: typeof level === 'number' ? level : undefined }
    })
}

/** Text that its own box cuts off; what is typed into a field can be moved there. */
export const hiddenTextOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.body.querySelectorAll('*:not(.visually-hidden, input)')]
    .filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element)
      const isCut = (overflow, inner, outer) => overflow !== 'visible' && inner > outer + 1
      return isCut(overflowX, element.scrollWidth, element.clientWidth) ||
        isCut(overflowY, element.scrollHeight, element.clientHeight)
    })
    .map((element) => 'cut off: ' + element.outerHTML.slice(0, 100))`)

/** WCAG 2.5.8: links within a sentence are left out. */
export const smallTargetsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a[href]:not(.skip), button, input:not([type=hidden])')]
    .filter((element) => {
      const isInSentence = getComputedStyle(element).display === 'inline' &&
        element.parentElement.textContent.trim() !== element.textContent.trim()
      const { width, height } = element.getBoundingClientRect()
      return !isInSentence && (width < 24 || height < 24)
    })
    .map((element) => 'small: ' + element.outerHTML.slice(0, 100))`)
