import { lazy } from '../../../kit/cache/lazy.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import { type RenderedText, renderMarkdown } from '../../../kit/markdown/render-markdown.ts'
import type { GeneratedPage } from './generated-pages.ts'

export type RenderedPage = SitePage & RenderedText

export type Site = {
  sections: Array<{ title: string; pages: RenderedPage[] }>
  page: (address: string) => RenderedPage | undefined
}

/** Renders all pages on the first request: the contents need all titles. */
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

/** Returns undefined if the target is only in the repository. */
function addressOn(addresses: ReadonlyMap<string, string>, from: string, target: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  const { pathname, hash } = new URL(target, `file:///${from}`)
  const path = pathname.slice(1)
  if (path.startsWith('docs/images/')) return `/${path}`
  // The site has two pages for this document.
  if (path === 'docs/reference/problems.md')
    return hash === '#causes' ? '/docs/reference/causes' : '/docs/reference/errors'
  const address = addresses.get(path)
  return address && `${address}${hash}`
}

type SitePage = { address: string; document: string; write?: () => string }
type SiteSection = { title: string; pages: SitePage[] }

const guide = (name: string) => `docs/guides/${name}.md`
const reference = (name: string) => `docs/reference/${name}.md`

const sections: Array<{ title: string; documents: string[] }> = [
  {
    title: 'Get started',
    documents: [guide('ten-minute-start'), 'docs/concepts.md', guide('test-mode'), 'docs/glossary.md'],
  },
  {
    title: 'Build with it',
    documents: [
      guide('connect-your-users'),
      guide('receive-webhooks'),
      guide('relink-a-connection'),
      guide('import-grants'),
      guide('open-a-function-in-an-mcp-client'),
      guide('misbehaving-provider'),
      'packages/client/README.md',
      'packages/connect/README.md',
      'packages/cli/README.md',
      'examples/README.md',
      'examples/python/README.md',
      'docs/api-compatibility.md',
    ],
  },
  {
    title: 'Reference',
    documents: [
      reference('events'),
      reference('causes'),
      reference('errors'),
      'docs/link-states.md',
      reference('health-checks'),
      reference('token-answers'),
    ],
  },
  { title: 'Support', documents: [guide('support-console')] },
  {
    title: 'Operate it',
    documents: [
      guide('run-it'),
      guide('install-on-a-machine'),
      guide('run-on-kubernetes'),
      guide('run-the-platform'),
      guide('high-availability'),
      guide('size-it'),
      guide('redis'),
      guide('secrets'),
      guide('back-up-and-restore'),
      guide('manage-tenants'),
      guide('add-an-integration'),
      guide('add-a-provider'),
      guide('link-an-mcp-server'),
      guide('doctor'),
      guide('watch-it'),
      guide('on-call'),
      reference('metrics'),
      reference('log-events'),
      reference('alerts'),
      reference('faults'),
    ],
  },
  { title: 'Security', documents: ['SECURITY.md', 'docs/threat-model.md', 'docs/security-cases.md'] },
]

/** The site has generated pages instead. */
const replaced = [reference('problems')]

/** Unlisted guides and references are added to "Operate it". */
function siteSections(documents: Documents, generated: readonly GeneratedPage[]): SiteSection[] {
  const listed = sections.flatMap((section) => section.documents)
  const others = ['docs/guides', 'docs/reference']
    .flatMap(documents.list)
    .filter((path) => !listed.includes(path) && !replaced.includes(path))
  const pageOf = (document: string): SitePage[] => {
    const written = generated.find((page) => page.document === document)
    if (written) return [{ address: addressOf(document), document, write: written.write }]
    return documents.has(document) ? [{ address: addressOf(document), document }] : []
  }
  return sections.map(({ title, documents: paths }) => ({
    title,
    pages: [...paths, ...(title === 'Operate it' ? others : [])].flatMap(pageOf),
  }))
}

function addressOf(document: string): string {
  const [, folder] = /^((?:packages|examples).*)\/README\.md$/.exec(document) ?? []
  if (folder) return `/docs/${folder}`
  return `/docs/${document
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}`
}
