import { lazy } from '../../../kit/cache/lazy.ts'
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import { type RenderedText, renderMarkdown } from '../../../kit/markdown/render-markdown.ts'
import type { GeneratedPage } from './generated-pages.ts'

export type DocumentPage = { address: string; document: string; title: string; render: () => Promise<RenderedText> }

export type Site = {
  sections: Array<{ title: string; pages: DocumentPage[] }>
  /** Of the API reference. */
  introduction: DocumentPage
  page: (address: string) => DocumentPage | undefined
}

/** Renders each page on its first request. The contents need only the titles. */
export const documentationSite = (documents: Documents, generated: readonly GeneratedPage[]): (() => Site) =>
  lazy(() => {
    const sections = siteSections(documents, generated)
    const all = [{ address: '/docs/api', document: 'docs/api.md' }, ...sections.flatMap(({ pages }) => pages)]
    const addresses = new Map(all.map((page) => [page.document, page.address]))
    const pageOf = ({ address, document }: SitePage): DocumentPage => {
      const written = generated.find((page) => page.document === document)
      return {
        address,
        document,
        title: written?.title ?? titleOf(documents.read(document)),
        render: lazy(async () => {
          const text = (await written?.write()) ?? documents.read(document)
          return renderMarkdown(text, (target) => addressOn(addresses, document, target))
        }),
      }
    }
    const [introduction, ...pages] = all.map(pageOf) as [DocumentPage, ...DocumentPage[]]
    const byAddress = new Map(pages.map((page) => [page.address, page]))
    return {
      sections: sections.map((section) => ({
        title: section.title,
        pages: section.pages.flatMap(({ address }) => byAddress.get(address) ?? []),
      })),
      introduction,
      page: (address) => byAddress.get(address),
    }
  })

/** The first line is the title. */
const titleOf = (text: string) => renderMarkdown(text.slice(0, text.indexOf('\n')), () => undefined).title

/** Returns undefined if the target is only in the repository. */
function addressOn(addresses: ReadonlyMap<string, string>, from: string, target: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  const { pathname, hash } = new URL(target, `file:///${from}`)
  const path = pathname.slice(1)
  if (path.startsWith('docs/images/')) return `/${path}`
  const address = addresses.get(path)
  return address && `${address}${hash}`
}

type SitePage = { address: string; document: string }
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
      guide('enterprise-login'),
      guide('call-an-api'),
      guide('use-accounts-in-sandboxes'),
      guide('misbehaving-provider'),
      'packages/client/README.md',
      'packages/python/README.md',
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

/** Unlisted guides and references are added to "Operate it". */
function siteSections(documents: Documents, generated: readonly GeneratedPage[]): SiteSection[] {
  const listed = sections.flatMap((section) => section.documents)
  const others = ['docs/guides', 'docs/reference'].flatMap(documents.list).filter((path) => !listed.includes(path))
  const isWritten = (document: string) => generated.some((page) => page.document === document)
  const pageOf = (document: string): SitePage[] =>
    isWritten(document) || documents.has(document) ? [{ address: addressOf(document), document }] : []
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
