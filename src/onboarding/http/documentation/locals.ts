import { docsNav } from '../locals/docs.ts'
import type { RenderedPage, Site } from './site.ts'

const scripts = ['/assets/docs-search.js']
const brand = { name: 'Causeway', mark: '/assets/mark.svg', home: '/', styles: '/assets/docs.css' }

export const contentsLocals = (site: Site) => ({
  title: 'Guides',
  brand,
  scripts,
  nav: docsNav('/docs/guides'),
  sections: sectionsOf(site),
})

export function pageLocals(site: Site, page: RenderedPage) {
  const pages = site.sections.flatMap((section) => section.pages)
  const position = pages.indexOf(page)
  return {
    title: page.title,
    brand,
    scripts,
    nav: docsNav('/docs/guides'),
    sections: sectionsOf(site, page),
    html: page.html,
    headings: page.headings.filter(({ level }) => level === 2),
    previous: linkTo(pages[position - 1]),
    next: linkTo(pages[position + 1]),
  }
}

const sectionsOf = (site: Site, current?: RenderedPage) =>
  site.sections.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ({ address: page.address, title: page.title, current: page === current })),
  }))

const linkTo = (page: RenderedPage | undefined) => page && { address: page.address, title: page.title }
