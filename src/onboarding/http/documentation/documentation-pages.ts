import express, { type Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import { docsNav } from '../locals/docs.ts'
import type { RenderedPage, Site } from './site.ts'

export type Documentation = { site: () => Site; document: () => OpenApiDocument; documents: Documents }

export function documentationPages({ site, document, documents }: Documentation): Router {
  const images = express.static(documents.folder('docs/images'), { index: false, redirect: false })
  return exactRouter()
    .get('/docs/guides', (_req, res) => {
      res.render('onboarding/docs/guides', contentsLocals(site()))
    })
    .get(
      '/docs/search.json',
      jsonDocument(() => searchPassages(site(), document())),
    )
    .use('/docs/images', images)
    .get('/docs/*page', (req, res, next) => {
      const page = site().page(req.path)
      if (!page) return next()
      res.render('onboarding/docs/page', pageLocals(site(), page))
    })
}

const scripts = ['/assets/docs-search.js']
const brand = { name: 'Causeway', mark: '/assets/mark.svg', home: '/', styles: '/assets/docs.css' }

const contentsLocals = (site: Site) => ({
  title: 'Guides',
  brand,
  scripts,
  nav: docsNav('/docs/guides'),
  sections: sectionsOf(site),
})

function pageLocals(site: Site, page: RenderedPage) {
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

/** One entry per heading and per operation. */
type SearchPassage = { address: string; page: string; heading: string; text: string }

type Operation = { operationId: string; summary: string; description?: string }

const searchPassages = (site: Site, document: OpenApiDocument): SearchPassage[] => [
  ...site.sections.flatMap(({ pages }) =>
    pages.flatMap(({ address, title, passages }) =>
      passages.map(({ id, heading, text }) => ({
        address: id ? `${address}#${id}` : address,
        page: title,
        heading: heading === title ? '' : heading,
        text,
      })),
    ),
  ),
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, { operationId, summary, description }]) => ({
      address: `/docs/api#${operationId}`,
      page: 'API',
      heading: summary,
      text: `${method.toUpperCase()} ${path} ${description ?? ''}`,
    })),
  ),
]
