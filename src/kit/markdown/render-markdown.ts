import MarkdownIt, { type Token } from 'markdown-it'
import { lazy } from '../cache/lazy.ts'
import { escapeHtml } from '../http/pages.ts'
import { type CodeSample, canBeTab, codeBlock, codeTabs } from './code-blocks.ts'

type Heading = { id: string; text: string; level: number }

/** The plain text below one heading, for search. */
type Passage = { id: string; heading: string; text: string }

export type RenderedText = { title: string; html: string; headings: Heading[]; passages: Passage[] }

/** Maps a link target to its URL; undefined turns the link into plain text. */
type AddressOf = (target: string) => string | undefined

/** Renders trusted text. HTML is escaped. */
export function renderMarkdown(text: string, addressOf: AddressOf): RenderedText {
  const markdown = parser()
  const tokens = joinTabs(markdown.parse(text, {}))
  const headings = nameHeadings(tokens)
  for (const token of tokens) redirectLinks(token.children ?? [], addressOf)
  return {
    title: headings.find(({ level }) => level === 1)?.text ?? '',
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    passages: passagesOf(tokens),
  }
}

const parser = lazy(() => {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
  // Wide tables and code scroll, so they must be focusable by keyboard.
  Object.assign(markdown.renderer.rules, {
    table_open: () => '<div class="table-wrap" role="group" aria-label="Table" tabindex="0"><table class="data">\n',
    table_close: () => '</table></div>\n',
    fence: (tokens: Token[], position: number) => renderFence(tokens[position] as Token),
    code_tabs: (tokens: Token[], position: number) => renderTabs(tokens[position] as Token, position),
  })
  return markdown
})

function renderFence(token: Token): string {
  const sample = sampleOf(token)
  return sample.language === 'mermaid' ? renderDiagram(sample.code) : codeBlock(sample)
}

const renderTabs = ({ meta }: Token, position: number) => codeTabs(`code-${position}`, meta?.samples as CodeSample[])

/** After the language: `file=<name>`, or the request whose body it is. Other words are for tests. */
function sampleOf({ info, content }: Token): CodeSample {
  const [language = '', ...words] = info.split(' ')
  const title = /^file=(.+)$|^([A-Z]+ \/.+)$/.exec(words.join(' '))
  return { language, code: content, ...(title && { title: title[1] ?? title[2] ?? '' }) }
}

/** Consecutive blocks in different languages become tabs. */
function joinTabs(tokens: Token[]): Token[] {
  const joined: Token[] = []
  let samples: CodeSample[] = []
  for (const token of tokens) {
    const sample = token.type === 'fence' && canBeTab(token.info) ? sampleOf(token) : undefined
    const isAnother = sample && !samples.some(({ language }) => language === sample.language)
    const last = joined.at(-1)
    if (!sample || !isAnother || !last) samples = []
    if (sample) samples = [...samples, sample]
    if (!sample || !last || samples.length === 1) {
      joined.push(token)
      continue
    }
    last.type = 'code_tabs'
    last.meta = { samples }
    last.content += token.content
  }
  return joined
}

/** Diagrams would need a script, so they are shown as a list of moves. */
function renderDiagram(diagram: string): string {
  const rows = movesIn(diagram).map(
    ({ from, to, when }) =>
      `<tr><td><code>${escapeHtml(from)}</code></td><td><code>${escapeHtml(to)}</code></td><td>${escapeHtml(when)}</td></tr>`,
  )
  const head = '<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">When</th></tr></thead>'
  const table = `<table class="data">${head}<tbody>${rows.join('')}</tbody></table>`
  return `<div class="table-wrap" role="group" aria-label="Moves" tabindex="0">${table}</div>\n`
}

/** Same IDs as GitHub, so that links work in both places. */
function nameHeadings(tokens: Token[]): Heading[] {
  const seen = new Map<string, number>()
  return tokens.flatMap((token, position) => {
    if (token.type !== 'heading_open') return []
    const text = plainText(tokens[position + 1] as Token)
    const slug = slugOf(text)
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    const id = times === 0 ? slug : `${slug}-${times}`
    token.attrSet('id', id)
    return [{ id, text, level: Number(token.tag.slice(1)) }]
  })
}

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

function redirectLinks(tokens: Token[], addressOf: AddressOf) {
  let isPlain = false
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', addressOf(String(token.attrGet('src'))) ?? '')
    if (token.type === 'link_open') {
      const address = addressOf(String(token.attrGet('href')))
      isPlain = address === undefined
      if (address === undefined) leaveWords(token)
      else token.attrSet('href', address)
    }
    if (token.type === 'link_close' && isPlain) leaveWords(token)
  }
}

function leaveWords(token: Token) {
  token.tag = 'span'
  token.attrs = null
}

function passagesOf(tokens: Token[]): Passage[] {
  const passages: Passage[] = [{ id: '', heading: '', text: '' }]
  for (const [position, token] of tokens.entries()) {
    const isHeading = tokens[position - 1]?.type === 'heading_open'
    if (token.type === 'inline' && isHeading) {
      passages.push({ id: String(tokens[position - 1]?.attrGet('id')), heading: plainText(token), text: '' })
      continue
    }
    const isCode = token.type === 'fence' || token.type === 'code_tabs'
    const words = token.type === 'inline' ? plainText(token) : isCode ? token.content : ''
    const passage = passages.at(-1)
    if (words && passage) passage.text += `${passage.text && ' '}${words}`
  }
  return passages.filter(({ heading, text }) => heading || text)
}

const plainText = (token: Token): string =>
  (token.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')

type Move = { from: string; to: string; when: string }

/** The arrows of a Mermaid state diagram, without start and end. */
const movesIn = (diagram: string): Move[] =>
  [...diagram.matchAll(/^[ \t]*(\w+) --> (\w+)(?:: (.+))?$/gm)].map(([, from = '', to = '', when = '']) => ({
    from,
    to,
    when,
  }))
