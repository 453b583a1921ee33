// Shows other pages inside one open page: that takes a tenth of the time of visiting each page and loading axe there.
import type { Page } from 'playwright-core'

export type ShownPage = { name: string; text: string }

export type Reader = {
  page: Page
  /** Renders another page with its language and direction. It must use the same style sheets. */
  show(text: string): Promise<void>
  /** Renders pages one after another, and returns the layout faults of each with its name. */
  faultsOf(pages: readonly ShownPage[]): Promise<string[]>
}

/** The HTML of a page after its scripts have run. */
export const pageText = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML')

/** Uses this page, which must be of the same kind as the rendered ones. */
export const openReader =
  (address: string) =>
  async (page: Page): Promise<Reader> => {
    await page.goto(address)
    await page.evaluate(replacing)
    const show = (text: string) => page.evaluate<void>(`showOther(${JSON.stringify(text)})`)
    return {
      page,
      show,
      async faultsOf(pages) {
        // In one call, because it runs for a thousand pages.
        const looks = await page.evaluate<Array<{ name: string; title: string; overhang: number }>>(`
          ${JSON.stringify(pages)}.map(({ name, text }) => {
            showOther(text)
            const title = document.querySelector('h1').innerText
            return { name, title, overhang: document.documentElement.scrollWidth - innerWidth }
          })`)
        return looks.flatMap(({ name, title, overhang }) => [
          ...(title ? [] : [`${name}: no title`]),
          ...(overhang > 0 ? [`${name}: ${overhang} px wider than the window`] : []),
        ])
      },
    }
  }

const replacing = `
  globalThis.showOther = (text) => {
    const other = new DOMParser().parseFromString(text, 'text/html')
    const styles = ({ head }) => [...head.querySelectorAll('link[rel=stylesheet]')].map((link) => link.getAttribute('href')).join()
    if (styles(other) !== styles(document)) throw new Error('other styles: ' + styles(other) + ' than ' + styles(document))
    for (const { name } of [...document.documentElement.attributes]) document.documentElement.removeAttribute(name)
    for (const { name, value } of other.documentElement.attributes) document.documentElement.setAttribute(name, value)
    document.title = other.title
    document.body.replaceWith(other.body)
  }
  undefined`
