import MarkdownIt, { type Token } from 'markdown-it'
import { lazy } from '../cache/lazy.ts'
import { escapeHtml } from '../http/pages.ts'

type Heading = { id: string; text: string; level: number }

/** The plain text below one heading, for search. */
type Passage = { id: string; heading: string; text: string }

export type RenderedText = { title: string; html: string; headings: Heading[]; passages: Passage[] }

/** Maps a link target to its URL; undefined turns the link into plain text. */
type AddressOf = (target: string) => string | undefined

/** Renders trusted text. HTML is escaped. */
export function renderMarkdown(text: string, addressOf: AddressOf): RenderedText {
  const markdown = parser()
  const tokens = markdown.parse(text, {})
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
  })
  return markdown
})

function renderFence({ info, content }: Token): string {
  const language = info.split(' ', 1)[0] ?? ''
  if (language === 'mermaid') return renderDiagram(content)
  return `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${escapeHtml(content)}</code></pre>\n`
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
    const words = token.type === 'inline' ? plainText(token) : token.type === 'fence' ? token.content : ''
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
