// A page that stays, and shows what stood on others: to visit a page and to bring the rules for accessibility there takes
// ten times as long as to lay it out and look at it.
import type { Page } from 'playwright-core'

export type ShownPage = { name: string; text: string }

export type Reader = {
  page: Page
  /** Lays out another page in this window, with its language and direction. It must have the same style sheets. */
  show(text: string): Promise<void>
  /** The same with one after another, and what is wrong with the layout of each, behind its name. */
  faultsOf(pages: readonly ShownPage[]): Promise<string[]>
}

/** A page as it is now, after its scripts have run. */
export const pageText = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML')

/** In this page, which has to be of the same kind as those that are shown in it. */
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
        // At one go: it is asked of a thousand pages, and none is drawn that nobody waits for.
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
