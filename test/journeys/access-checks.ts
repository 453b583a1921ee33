// Pages as keyboard and screen reader users get them.
import type { Page } from 'playwright-core'

export type FocusStop = { what: string; href: string | null; outline: number }

/** The elements that Tab reaches, with the width of their outline, next to the expected ones. */
export async function focusStopsOf(page: Page): Promise<{ expected: string[]; reached: FocusStop[] }> {
  const expected = await page.evaluate<string[]>(`
    globalThis.describe = (element) => element.tagName + ' ' + (element.textContent.trim() || element.name).slice(0, 80)
    ;[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
      .filter((element) => !element.disabled)
      .map(describe)`)
  // A rejected form focuses the field to correct; other pages start at the top.
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

/** The accessibility tree of the browser. */
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

/** Text that its box cuts off. Text in form fields can be scrolled. */
export const hiddenTextOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.body.querySelectorAll('*:not(.visually-hidden, input)')]
    .filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element)
      const isCut = (overflow, inner, outer) => overflow !== 'visible' && inner > outer + 1
      return isCut(overflowX, element.scrollWidth, element.clientWidth) ||
        isCut(overflowY, element.scrollHeight, element.clientHeight)
    })
    .map((element) => 'cut off: ' + element.outerHTML.slice(0, 100))`)

/** WCAG 2.5.8, without links in sentences. */
export const smallTargetsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a[href]:not(.skip), button, input:not([type=hidden])')]
    .filter((element) => {
      const isInSentence = getComputedStyle(element).display === 'inline' &&
        element.parentElement.textContent.trim() !== element.textContent.trim()
      const { width, height } = element.getBoundingClientRect()
      return !isInSentence && (width < 24 || height < 24)
    })
    .map((element) => 'small: ' + element.outerHTML.slice(0, 100))`)
