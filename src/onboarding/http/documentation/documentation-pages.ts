import express, { type Router } from 'express'
import { otherWork } from '../../../kit/cache/slices.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../kit/http/json-document.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import type { ApiGroup, DescribedCall } from './api-reference.ts'
import type { DocumentPage, Site } from './site.ts'

type Documentation = {
  site: () => Site
  groups: readonly ApiGroup[]
  callsOf: (group: ApiGroup) => Promise<DescribedCall[]>
  documents: Documents
}

export function documentationPages({ site, groups, callsOf, documents }: Documentation): Router {
  const images = express.static(documents.folder('docs/images'), { index: false, redirect: false })
  const router = exactRouter()
  for (const [from, to] of Object.entries(moved)) router.get(from, (_req, res) => res.redirect(301, to))
  return router
    .get('/docs', (_req, res) => {
      res.render('onboarding/docs/home', homeLocals(site(), groups))
    })
    .get('/docs/api', async (_req, res) => {
      res.render('onboarding/docs/api', await apiLocals(site(), groups))
    })
    .get('/docs/api/:group', async (req, res, next) => {
      const group = groups.find(({ address }) => address === req.path)
      if (!group) return next()
      res.render('onboarding/docs/api-group', groupLocals(groups, group, await callsOf(group)))
    })
    .get(
      '/docs/search.json',
      jsonDocument(async () => [...(await guidePassages(site())), ...callPassages(groups)]),
    )
    .use('/docs/images', images)
    .get('/docs/*page', async (req, res, next) => {
      const page = site().page(req.path)
      if (!page) return next()
      res.render('onboarding/docs/page', await pageLocals(site(), page))
    })
}

/** Addresses of earlier releases, and those of documents in the repository. */
const moved = {
  '/docs/guides': '/docs',
  '/docs/openapi.json': '/openapi.json',
  '/docs/reference/problems': '/docs/reference/errors',
  '/docs/reference': '/docs',
}

type Area = '/docs' | '/docs/api'

const frame = (title: string, area: Area) => ({
  title,
  nav: [
    { href: '/docs', label: 'Guides', current: area === '/docs' },
    { href: '/docs/api', label: 'API reference', current: area === '/docs/api' },
  ],
})

const firstSteps = [
  {
    address: '/docs/guides/ten-minute-start',
    about: 'A Connect button, a linked account, a tool call and a verified webhook on your machine.',
  },
  { address: '/docs/guides/connect-your-users', about: 'Two redirects and two calls, in Node.js, Python or by curl.' },
  { address: '/docs/guides/receive-webhooks', about: 'Get notified when a link or a connection changes.' },
  { address: '/docs/guides/test-mode', about: 'Try every outcome without an account at any app.' },
]

const further = [
  { address: '/docs/guides/support-console', about: 'Find out why an account stopped working, and fix it.' },
  { address: '/docs/guides/run-it', about: 'Settings, processes and upgrades of a deployment.' },
  { address: '/docs/guides/add-an-integration', about: 'Offer another app to your tenants.' },
  { address: '/docs/guides/watch-it', about: 'Logs, metrics, traces and alerts.' },
]

const homeLocals = (site: Site, groups: readonly ApiGroup[]) => ({
  ...frame('Documentation', '/docs'),
  sections: sectionsOf(site),
  firstSteps: titled(site, firstSteps),
  further: titled(site, further),
  groups,
})

const titled = (site: Site, entries: typeof further) =>
  entries.map((entry) => ({ ...entry, title: site.page(entry.address)?.title ?? '' }))

async function apiLocals(site: Site, groups: readonly ApiGroup[]) {
  const { html, headings } = await textOf(site.introduction)
  return {
    ...frame('API reference', '/docs/api'),
    sections: apiSections(groups, '/docs/api'),
    html,
    headings: [...headings, { href: '#all-calls', text: 'All calls' }],
    groups,
  }
}

const groupLocals = (groups: readonly ApiGroup[], group: ApiGroup, calls: DescribedCall[]) => ({
  ...frame(group.title, '/docs/api'),
  sections: apiSections(groups, group.address),
  group: { ...group, calls },
})

async function pageLocals(site: Site, page: DocumentPage) {
  const pages = site.sections.flatMap((section) => section.pages)
  const position = pages.indexOf(page)
  return {
    ...frame(page.title, '/docs'),
    sections: sectionsOf(site, page),
    ...(await textOf(page)),
    previous: linkTo(pages[position - 1]),
    next: linkTo(pages[position + 1]),
  }
}

async function textOf(page: DocumentPage) {
  const { html, headings } = await page.render()
  return {
    html,
    headings: headings.filter(({ level }) => level === 2).map(({ id, text }) => ({ href: `#${id}`, text })),
  }
}

const sectionsOf = (site: Site, current?: DocumentPage) =>
  site.sections.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ({ address: page.address, title: page.title, current: page === current, inner: [] })),
  }))

/** The calls of the current group are below it. */
const apiSections = (groups: readonly ApiGroup[], current: string) => [
  {
    title: 'API reference',
    pages: [{ address: '/docs/api', title: 'Introduction', calls: [] }, ...groups].map(({ address, title, calls }) => ({
      address,
      title,
      current: address === current,
      inner: address === current ? calls.map(({ id, summary }) => ({ href: `#${id}`, text: summary })) : [],
    })),
  },
]

const linkTo = (page: DocumentPage | undefined) => page && { address: page.address, title: page.title }

/** One entry per heading and per call. */
type SearchPassage = { address: string; page: string; heading: string; text: string }

async function guidePassages({ introduction, sections }: Site): Promise<SearchPassage[]> {
  const found: SearchPassage[] = []
  for (const { address, title, render } of [introduction, ...sections.flatMap(({ pages }) => pages)]) {
    const { passages } = await render()
    for (const { id, heading, text } of passages) {
      const target = id ? `${address}#${id}` : address
      found.push({ address: target, page: title, heading: heading === title ? '' : heading, text })
    }
    await otherWork()
  }
  return found
}

const callPassages = (groups: readonly ApiGroup[]): SearchPassage[] =>
  groups.flatMap(({ address, title, about, calls }) => [
    { address, page: 'API reference', heading: title, text: about },
    ...calls.map(({ id, summary, method, path, description }) => ({
      address: `${address}#${id}`,
      page: `API: ${title}`,
      heading: summary,
      text: `${method} ${path} ${description}`,
    })),
  ])
