// What the documentation has, in which order, and where: an address mirrors the path of its document.
import type { Documents } from '../../../kit/markdown/read-documents.ts'
import type { GeneratedPage } from './generated-pages.ts'

export type SitePage = { address: string; document: string; write?: () => string }
export type SiteSection = { title: string; pages: SitePage[] }

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
      guide('back-up-and-restore'),
      guide('manage-tenants'),
      guide('add-an-integration'),
      guide('add-a-provider'),
      guide('link-an-mcp-server'),
      guide('doctor'),
      guide('watch-it'),
      reference('metrics'),
      reference('log-events'),
      reference('alerts'),
      reference('faults'),
    ],
  },
  { title: 'Security', documents: ['SECURITY.md', 'docs/threat-model.md', 'docs/security-cases.md'] },
]

/** It says the same as the pages that are written from the code, for those who read the repository. */
const replaced = [reference('problems')]

/** Guides and references that nobody has put anywhere yet stand with the operators', so that none is forgotten. */
export function siteSections(documents: Documents, generated: readonly GeneratedPage[]): SiteSection[] {
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

/** `docs/guides/run-it.md` is at /docs/guides/run-it, a package or an example by its folder, the rest by what it is about. */
function addressOf(document: string): string {
  const [, folder] = /^((?:packages|examples).*)\/README\.md$/.exec(document) ?? []
  if (folder) return `/docs/${folder}`
  return `/docs/${document
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}`
}
