import { lazy } from '../../../kit/cache/lazy.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import { type RenderedText, renderMarkdown } from '../../../kit/markdown/render-markdown.ts'
import type { GeneratedPage } from './generated-pages.ts'
import { type SitePage, siteSections } from './site-map.ts'

export type RenderedPage = SitePage & RenderedText

export type Site = {
  sections: Array<{ title: string; pages: RenderedPage[] }>
  page: (address: string) => RenderedPage | undefined
}

/** Every page at once, when somebody first asks: the contents need all titles, and all of it takes a moment. */
export const documentationSite = (documents: Documents, generated: readonly GeneratedPage[]): (() => Site) =>
  lazy(() => {
    const sections = siteSections(documents, generated)
    const addresses = new Map(sections.flatMap(({ pages }) => pages).map((page) => [page.document, page.address]))
    const rendered = sections.map(({ title, pages }) => ({
      title,
      pages: pages.map((page) => {
        const text = page.write?.() ?? documents.read(page.document)
        return { ...page, ...renderMarkdown(text, (target) => addressOn(addresses, page.document, target)) }
      }),
    }))
    const byAddress = new Map(rendered.flatMap(({ pages }) => pages).map((page) => [page.address, page]))
    return { sections: rendered, page: (address) => byAddress.get(address) }
  })

/** Where a link of a document leads on the site: undefined if its target is only in the repository. */
function addressOn(addresses: ReadonlyMap<string, string>, from: string, target: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  const { pathname, hash } = new URL(target, `file:///${from}`)
  const path = pathname.slice(1)
  if (path.startsWith('docs/images/')) return `/${path}`
  // The repository has one page for what the site shows as two.
  if (path === 'docs/reference/problems.md')
    return hash === '#causes' ? '/docs/reference/causes' : '/docs/reference/errors'
  const address = addresses.get(path)
  return address && `${address}${hash}`
}
